import type { ListedEmailTemplate } from '@lettergate/client/console'
import { Group, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { FailedReads } from '../parts/failed-reads.tsx'
import { PageLink } from '../parts/link.tsx'
import { PagedSelect } from '../parts/paged-select.tsx'
import { useAnswer, usePages } from '../session/use-answer.ts'
import { useWorkspace } from '../session/workspace.tsx'

type Template = Pick<ListedEmailTemplate, 'id' | 'name'>

/** Chooses any template, found by its name, and one of its versions. The newest valid version of a chosen template is offered first. */
export function ContentPicker({
  label,
  value,
  onChange,
}: {
  /** of the version */
  label: string
  value: string
  onChange: (contentVersionId: string) => void
}) {
  const { name, console } = useWorkspace()
  const [chosen, setChosen] = useState<Template | null>(null)
  const current = useAnswer(
    [name, 'content', value],
    (options) => console.getContentVersion({ content_version_id: value }, options),
    { enabled: value !== '' },
  )
  const version = current.data?.content_version
  const templateId = chosen?.id ?? version?.template_id ?? ''
  const versions = usePages(
    [name, 'versions-to-choose', templateId],
    (page, options) => console.getEmailTemplate({ template_id: templateId, ...page, limit: 50 }, options),
    { enabled: templateId !== '' },
  )
  const first = versions.data?.pages[0]
  const template = chosen ?? first?.email_template ?? null
  const newest = first?.content_versions.find(({ valid }) => valid)?.id
  const isUnset = value === '' && chosen !== null
  useEffect(() => {
    if (isUnset && newest !== undefined) onChange(newest)
  }, [isUnset, newest]) // oxlint-disable-line react-hooks/exhaustive-deps -- a new function is no new choice
  return (
    <>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TemplateSelect
          chosen={template}
          onChoose={(next) => {
            if (next.id === templateId) return
            setChosen(next)
            onChange('')
          }}
        />
        <PagedSelect
          label={label}
          pages={templateId === '' ? null : versions}
          optionsOf={(page) =>
            page.content_versions.map((one) => ({ value: one.id, label: labelOf(one), disabled: !one.valid }))
          }
          chosen={value === '' ? null : { value, label: version ? labelOf(version) : '…' }}
          empty="This template has no version yet"
          onChange={(next) => onChange(next ?? '')}
        />
      </Group>
      {isUnset && first !== undefined && newest === undefined && (
        <Text size="sm" role="status">
          The newest versions of this template cannot be sent.{' '}
          <PageLink to={`/templates/${templateId}`}>See why.</PageLink>
        </Text>
      )}
      {version?.validation.tokens.includes('confirmation_url') && (
        <Text size="sm" role="status">
          Only for the confirmation email of a source, because it links to {'{{ confirmation_url }}'}: a campaign or an
          automation cannot have it.
        </Text>
      )}
      <FailedReads of={[current, versions]} />
    </>
  )
}

const labelOf = ({ version, subject }: { version: number; subject: string }) => `${version}: ${subject}`

/** Finds a template by a part of its name, among all that are not archived. */
function TemplateSelect({ chosen, onChoose }: { chosen: Template | null; onChoose: (template: Template) => void }) {
  const { name, console } = useWorkspace()
  const [typed, setTyped] = useState('')
  const wanted = typed === chosen?.name ? '' : typed.trim()
  const [search] = useDebouncedValue(wanted, 300)
  const templates = usePages([name, 'templates-to-choose', { search }], (page, options) =>
    console.listEmailTemplates({ ...page, ...(search ? { search } : {}), archived: false, limit: 50 }, options),
  )
  const listed = templates.data?.pages.flatMap((page) => page.email_templates) ?? []
  return (
    <div>
      <PagedSelect
        label="Template"
        placeholder="A part of its name"
        pages={templates}
        optionsOf={(page) =>
          page.email_templates.map((one) => ({
            value: one.id,
            label: one.content_versions === 0 ? `${one.name} (no content yet)` : one.name,
            disabled: one.content_versions === 0,
          }))
        }
        chosen={chosen && { value: chosen.id, label: chosen.name }}
        empty={search ? 'No template matches' : 'There is no template yet'}
        onChange={(id) => {
          const next = listed.find((one) => one.id === id)
          if (next) onChoose(next)
        }}
        searchable
        maxLength={160}
        searchValue={typed}
        onSearchChange={setTyped}
      />
      {templates.data && listed.length === 0 && search === '' && (
        <Text size="sm">
          There is no template yet. <PageLink to="/templates">Create one first.</PageLink>
        </Text>
      )}
      <FailedReads of={[templates]} />
    </div>
  )
}
