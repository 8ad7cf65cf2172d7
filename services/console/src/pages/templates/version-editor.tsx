import type { CallOptions, ContentVersionRequest, Result } from '@lettergate/client'
import type { ConsoleWorkspaceClient, ListedEmailTemplate, StoredContentVersion } from '@lettergate/client/console'
import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useParams } from 'wouter'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, PageLoading } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { SaveRefused } from '../../session/save-refused.tsx'
import { useAnswer, useChange } from '../../session/use-answer.ts'
import { useFields } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { commonTokens } from './complete-tokens.ts'
import { tokensOf } from './tokens.ts'

const CodeEditor = lazyPart(() => import('./code-editor.tsx'))

/** A new version of a template; it begins with the latest one. */
export default function VersionEditorPage() {
  const { id } = useParams<{ id: string }>()
  const { name, console } = useWorkspace()
  // Each opening reads anew: an answer from before the last save would begin with an older version.
  const [openedAt, openAt] = useState(() => Date.now())
  const answer = useAnswer([name, 'version-editor', id, openedAt], (options) => readLatest(console, id, options))
  return (
    <Page
      title={answer.data ? `New version of ${answer.data.template.name}` : 'New version'}
      about="Saving sends nothing. The HTML is sanitised, and a saved version never changes."
    >
      <Loaded answer={answer}>
        {({ latest }) => <Editor templateId={id} latest={latest} onReload={() => openAt(Date.now())} />}
      </Loaded>
    </Page>
  )
}

/** A template with the content of its latest version, if it has one. */
async function readLatest(
  console: ConsoleWorkspaceClient,
  template_id: string,
  options: CallOptions,
): Promise<Result<{ template: ListedEmailTemplate; latest: StoredContentVersion | undefined }>> {
  const found = await console.getEmailTemplate({ template_id, limit: 1 }, options)
  if (!found.ok) return found
  const { email_template: template, content_versions: versions } = found.data
  if (!versions[0]) return { ...found, data: { template, latest: undefined } }
  const content = await console.getContentVersion({ content_version_id: versions[0].id }, options)
  return content.ok ? { ...content, data: { template, latest: content.data.content_version } } : content
}

const inputOf = (latest: StoredContentVersion | undefined) => ({
  subject: latest?.subject ?? '',
  preheader: latest?.preheader ?? '',
  html: latest?.sanitized_html ?? '',
  plainText: latest && !latest.validation.plain_text_generated ? latest.plain_text : '',
  defaults: latest?.personalization_defaults ?? {},
})
type Input = ReturnType<typeof inputOf>

const tokensIn = ({ subject, preheader, html, plainText }: Input) => tokensOf(subject, preheader, html, plainText)

/** Empty inputs are left out: the service makes the plain text, and a token without a default has none. */
function requestOf(input: Input) {
  const { subject, preheader, html, plainText, defaults } = input
  const filled = tokensIn(input).flatMap((token) => (defaults[token] ? [[token, defaults[token]]] : []))
  return {
    subject,
    html,
    personalization_defaults: Object.fromEntries(filled) as Record<string, string>,
    ...(preheader ? { preheader } : {}),
    ...(plainText ? { plain_text: plainText } : {}),
  }
}

function Editor({
  templateId,
  latest,
  onReload,
}: {
  templateId: string
  latest: StoredContentVersion | undefined
  onReload: () => void
}) {
  const { name, api, console, may } = useWorkspace()
  const [input, setInput] = useState(() => inputOf(latest))
  const set = (changed: Partial<Input>) => setInput((before) => ({ ...before, ...changed }))
  const [first] = useState(input)
  // What is typed began with this version, also when another one is read later.
  const [begunWith] = useState(latest?.version ?? 0)
  const { leave } = useUnsaved(input !== first)
  const save = useChange(
    (body: ContentVersionRequest) => api.createContentVersion({ template_id: templateId, body }),
    leave,
    {
      done: 'Version saved',
      notDone: 'Version not saved',
      goesTo: ({ content_version }) => `/templates/${templateId}?version=${content_version.id}`,
    },
  )
  const saveAfter = (version: number) => save.mutate({ ...requestOf(input), expected_version: version })
  if (!may('edit_content'))
    return <Alert color="gray">Your role cannot write templates. Ask an editor, a brand admin or an owner.</Alert>
  const isFilled = input.subject !== '' && input.html !== ''
  return (
    <form
      inert={save.isPending} // what is typed now would be lost
      onSubmit={(event) => {
        event.preventDefault()
        saveAfter(begunWith)
      }}
    >
      <Stack>
        <Texts input={input} set={set} />
        <Defaults input={input} set={set} />
        <SaveRefused
          of={[name, 'template', templateId]}
          save={save}
          read={(options) => console.getEmailTemplate({ template_id: templateId, limit: 1 }, options)}
          savedOf={({ content_versions: [saved] }) =>
            saved && { ...saved, by: saved.created_by, page: `/templates/${templateId}?version=${saved.id}` }
          }
          onReload={onReload}
          onOverwrite={saveAfter}
        />
        <Group>
          <Button type="submit" disabled={!isFilled} loading={save.isPending}>
            Save the version
          </Button>
          {!isFilled && (
            <Text size="sm" c="dimmed">
              A version needs a subject and HTML.
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface PartProps {
  input: Input
  set: (changed: Partial<Input>) => void
}

function Texts({ input, set }: PartProps) {
  const fields = useFields()
  const custom = fields.data?.field_definitions ?? []
  return (
    <Section title="Content">
      <TextInput
        label="Subject"
        withAsterisk
        maxLength={300}
        value={input.subject}
        onChange={(event) => set({ subject: event.currentTarget.value })}
      />
      <TextInput
        label="Preheader"
        description="The line that mail programs show after the subject."
        maxLength={500}
        value={input.preheader}
        onChange={(event) => set({ preheader: event.currentTarget.value })}
      />
      <ReadNotices of={[fields]} />
      <Suspense fallback={<PageLoading />}>
        <CodeEditor
          label="HTML"
          description="Type {{ to choose a value of the person. {{ unsubscribe_url }} is the address of the unsubscribe link."
          initial={input.html}
          tokens={[...commonTokens, ...custom.map(({ field_key, label }) => ({ name: field_key, about: label }))]}
          onChange={(html) => set({ html })}
        />
      </Suspense>
      <Textarea
        label="Plain text"
        description="If it is empty, it is made from the HTML."
        autosize
        minRows={4}
        maxRows={20}
        value={input.plainText}
        onChange={(event) => set({ plainText: event.currentTarget.value })}
      />
    </Section>
  )
}

/** One input for each token of the texts. */
function Defaults({ input, set }: PartProps) {
  const tokens = tokensIn(input)
  if (tokens.length === 0) return null
  return (
    <Section title="Defaults" about="Used for a person without a value.">
      {tokens.map((token) => (
        <TextInput
          key={token}
          label={`Default of ${token}`}
          maxLength={500}
          value={input.defaults[token] ?? ''}
          onChange={(event) => set({ defaults: { ...input.defaults, [token]: event.currentTarget.value } })}
        />
      ))}
    </Section>
  )
}
