import {
  LettergateError,
  type Automation,
  type AutomationDefinition,
  type AutomationVersionRequest,
} from '@lettergate/client'
import { Alert, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { Suspense, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { ConfirmDialog } from '../../dialogs/confirm-dialog.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, PageLoading } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { SaveRefused } from '../../session/save-refused.tsx'
import { useAnswer, useChange } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Branches, InsertButton } from './branches.tsx'
import { changeConfig, removeNode } from './edit-graph.ts'
import { namesOf, nodeInWords, triggerInWords } from './node-words.ts'
import { ProblemList } from './problem-list.tsx'
import { problemInWords, problemsLeft, problemsOf, type GraphProblem } from './problems.ts'
import { StepForm } from './step-form.tsx'
import { Trigger } from './trigger.tsx'
import { useStepChoices } from './use-step-choices.ts'

const Graph = lazyPart(() => import('./graph.tsx'))

/** A new version of an automation; it begins with the current one. */
export default function GraphEditorPage() {
  const { id } = useParams<{ id: string }>()
  const { name, api } = useWorkspace()
  // Each opening reads anew, and a later change of the automation does not replace what was typed.
  const [openedAt, openAt] = useState(() => Date.now())
  const answer = useAnswer(
    [name, 'graph-editor', id, openedAt],
    (options) => api.getAutomation({ automation_id: id }, options),
    { everyMs: 10_000 },
  )
  return (
    <Page
      title={answer.data ? `New version of ${answer.data.automation.name}` : 'New version'}
      about="Saving makes the automation a draft and sends nothing. People who are in it stay where they are until it is published again, and then finish the version in which they began."
    >
      <Loaded answer={answer}>
        {({ automation }) => <Editor automation={automation} onReload={() => openAt(Date.now())} />}
      </Loaded>
    </Page>
  )
}

const refusedBy = (error: unknown): GraphProblem[] =>
  error instanceof LettergateError && error.failure.status === 422
    ? error.failure.message.split('\n').map((text) => ({ text, isWarning: false }))
    : []

/** What saving ends, by the status of the automation. */
const ends: Partial<Record<Automation['status'], readonly string[]>> = {
  published: [
    'The automation becomes a draft. From now on its trigger enrolls nobody, and people who join meanwhile are not enrolled later.',
    'Contacts who are in it stay where they are until it is published again. Then they finish the version in which they began.',
    'To publish it again, mark the new version as reviewed.',
  ],
  paused: [
    'The automation becomes a draft. To publish it again, mark the new version as reviewed.',
    'Contacts who are in it stay where they are until then, and finish the version in which they began.',
  ],
}

function Editor({ automation, onReload }: { automation: Automation; onReload: () => void }) {
  const { name, api, may } = useWorkspace()
  // What is typed began with this version, also when another one is read later.
  const [current] = useState(automation.selected_version)
  const [isAsked, ask] = useState(false)
  const names = useMemo(() => namesOf(current.validation.dependencies), [current])
  const { reads, choices } = useStepChoices(names)
  const [definition, setDefinition] = useState(current.definition)
  const [chosen, setChosen] = useState(current.definition.start_node)
  const [notes, setNotes] = useState('')
  const isEdited = definition !== current.definition
  const { leave } = useUnsaved(isEdited || notes !== '')
  const save = useChange(
    (body: AutomationVersionRequest) => api.createAutomationVersion({ automation_id: automation.id, body }),
    leave,
    { done: 'Version saved', notDone: 'Version not saved', goesTo: () => `/automations/${automation.id}` },
  )
  const saveAfter = (version: number) =>
    save.mutate({ definition, expected_version: version, ...(notes ? { change_notes: notes } : {}) })
  const edit = (edited: AutomationDefinition, next?: string) => {
    setDefinition(edited)
    if (next !== undefined) setChosen(next)
  }
  const known = useMemo(
    () => problemsLeft({ definition: current.definition, problems: problemsOf(current.validation) }, definition),
    [current, definition],
  )
  const sent = save.variables?.definition ?? definition
  const refused = useMemo(
    () => problemsLeft({ definition: sent, problems: refusedBy(save.error) }, definition),
    [sent, definition, save.error],
  )
  const problems = useMemo(
    () => new Map(definition.nodes.map(({ key }) => [key, [refused, known].flatMap((of) => of.byNode.get(key) ?? [])])),
    [definition, refused, known],
  )
  if (!may('edit_automations'))
    return <Alert color="gray">Your role cannot edit automations. Ask an editor, a brand admin or an owner.</Alert>
  const editing = { definition, choices, names, onEdit: edit }
  const consequences = ends[automation.status]
  return (
    <>
      <form
        inert={save.isPending} // what is typed now would be lost
        onSubmit={(event) => {
          event.preventDefault()
          if (consequences) ask(true)
          else saveAfter(current.version)
        }}
      >
        <Stack>
          <ProblemList
            of={known.problems}
            title={isEdited ? 'The saved version cannot be published' : 'It cannot be published'}
            titleOfWarnings={isEdited ? 'Warnings about the saved version' : 'Warnings'}
          />
          <ReadNotices of={reads} />
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <div className="beside-form">
              <Section
                title="Steps"
                about={triggerInWords(definition.trigger, names)}
                actions={
                  <InsertButton definition={definition} place="start" label="Insert at the start" onEdit={edit} />
                }
              >
                <Suspense fallback={<PageLoading />}>
                  <Graph
                    definition={definition}
                    names={names}
                    chosen={chosen}
                    problems={problems}
                    onChoose={setChosen}
                  />
                </Suspense>
              </Section>
            </div>
            <Stack>
              <Step
                key={chosen}
                nodeKey={chosen}
                problems={problems.get(chosen) ?? []}
                onChoose={setChosen}
                onRemove={() => {
                  const edited = removeNode(definition, chosen)
                  edit(edited, edited.start_node)
                }}
                {...editing}
              />
              <Trigger definition={definition} choices={choices} onChange={edit} />
            </Stack>
          </SimpleGrid>
          <TextInput
            label="What did you change?"
            description="For your colleagues."
            maxLength={500}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
          />
          {sent === definition ? (
            <SaveRefused
              of={[name, 'automation', automation.id]}
              save={save}
              read={(options) => api.getAutomation({ automation_id: automation.id }, options)}
              savedOf={({ automation: { id, selected_version: saved } }) => ({
                ...saved,
                by: saved.created_by_wallet_id,
                page: `/automations/${id}`,
              })}
              inWords={(problem) => problemInWords(problem, sent)}
              onReload={onReload}
              onOverwrite={saveAfter}
            />
          ) : (
            <ProblemList of={refused.problems} title="The version was not saved" titleOfWarnings="Warnings" />
          )}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!isEdited}>
              Save the version
            </Button>
            {!isEdited && (
              <Text size="sm" c="dimmed">
                Nothing is changed yet.
              </Text>
            )}
          </Group>
        </Stack>
      </form>
      {isAsked && consequences && (
        <ConfirmDialog
          title={`Save the version, and make ${automation.name} a draft?`}
          consequences={consequences}
          act="Save it"
          isDangerous={automation.status === 'published'}
          change={save}
          onClose={() => ask(false)}
          onConfirm={() => {
            ask(false)
            saveAfter(current.version)
          }}
        />
      )}
    </>
  )
}

type StepProps = Parameters<typeof Branches>[0]

function Step({
  nodeKey,
  problems,
  onChoose,
  onRemove,
  ...editing
}: Omit<StepProps, 'isDecision'> & {
  problems: readonly GraphProblem[]
  onChoose: (key: string) => void
  onRemove: () => void
}) {
  const { definition, choices, names, onEdit } = editing
  const node = definition.nodes.find(({ key }) => key === nodeKey)
  return (
    <Section id="step" title="This step" about="Choose a step in the graph or here.">
      <Select
        label="Step"
        allowDeselect={false}
        searchable={definition.nodes.length > 8}
        data={definition.nodes.map((one) => ({ value: one.key, label: `${nodeInWords(one, names)} (${one.key})` }))}
        value={nodeKey}
        onChange={(key) => onChoose(key!)}
      />
      <ProblemList of={problems} title="Change this" titleOfWarnings="Look at this" />
      {node && (
        <>
          <StepForm
            node={node}
            choices={choices}
            onChange={(config) => onEdit(changeConfig(definition, nodeKey, config))}
          />
          {node.type !== 'end' && <Branches {...editing} nodeKey={nodeKey} isDecision={node.type === 'decision'} />}
          {definition.nodes.length > 1 && (
            <Group>
              <Button size="compact-sm" variant="default" c="var(--mantine-color-red-text)" onClick={onRemove}>
                Remove the step
              </Button>
            </Group>
          )}
        </>
      )}
    </Section>
  )
}
