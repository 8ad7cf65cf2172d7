import type { Automation, AutomationVersion } from '@lettergate/client'
import { SegmentedControl, Select, Text } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import { useParams } from 'wouter'
import { DataTable } from '../../parts/data-table.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page, PageLoading } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilter, useKnownFilter } from '../../parts/use-filter.ts'
import { spanOf } from '../../parts/duration.ts'
import { counted } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { AutomationActs } from './automation-acts.tsx'
import { countsInWords } from './counts.ts'
import { Enrollments } from './enrollments.tsx'
import { conditionInWords, namesOf, nodeInWords, triggerInWords } from './node-words.ts'
import { ProblemList } from './problem-list.tsx'
import { colorOf, problemsByNode, problemsOf } from './problems.ts'
import { SyntheticEnrollments } from './synthetic-enrollments.tsx'
import { VersionChanges } from './version-changes.tsx'

const Graph = lazyPart(() => import('./graph.tsx'))

/** One automation: its steps with the people at each, as a graph and as a list, and everybody in it. */
export default function AutomationPage() {
  const { id } = useParams<{ id: string }>()
  const { name, api } = useWorkspace()
  const answer = useAnswer([name, 'automation', id], (options) => api.getAutomation({ automation_id: id }, options), {
    everyMs: 10_000,
  })
  const automation = answer.data?.automation
  return (
    <Page
      title={automation?.name ?? 'Automation'}
      about={
        automation && (
          <>
            <StateBadge state={automation.status} /> {automation.description}
          </>
        )
      }
      actions={automation && <AutomationActs automation={automation} />}
    >
      <RoleNote needs="edit_automations" />
      <Loaded answer={answer}>
        {(data) => (
          <>
            <Version automation={data.automation} />
            <Enrollments automationId={id} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Version({ automation }: { automation: Automation }) {
  const { name, api } = useWorkspace()
  const [chosen, choose] = useFilter('version')
  const id = chosen || automation.selected_version.id
  const answer = useAnswer([name, 'automation-version', id], (options) =>
    api.getAutomationVersion({ automation_id: automation.id, version_id: id }, options),
  )
  return (
    <>
      <Select
        label="Version"
        allowDeselect={false}
        searchable={automation.versions.length > 8}
        data={automation.versions.map((version) => ({
          value: version.id,
          label: `${version.version}${version.version === automation.current_version ? ' (current)' : ''}${version.version === automation.review_ready_version ? ', reviewed' : ''}${version.change_notes ? `: ${version.change_notes}` : ''}`,
        }))}
        value={id}
        onChange={choose}
        maw={420}
      />
      <Loaded answer={answer}>
        {(data) => (
          <>
            <Steps automationId={automation.id} version={data.version} />
            <SyntheticEnrollments automation={automation} version={data.version} />
            <VersionChanges automation={automation} version={data.version} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Steps({ automationId, version }: { automationId: string; version: AutomationVersion }) {
  const { name, console } = useWorkspace()
  const [view, setView] = useKnownFilter('view', (value) => value === 'list')
  const answer = useAnswer(
    [name, 'automation-counts', version.id],
    (options) => console.getAutomationVersionCounts({ automation_id: automationId, version_id: version.id }, options),
    { everyMs: 5_000 },
  )
  const { definition, validation, preview } = version
  const names = useMemo(() => namesOf(validation.dependencies), [validation])
  const counts = answer.data?.counts
  const problems = useMemo(() => problemsOf(validation), [validation])
  const ofNodes = useMemo(() => problemsByNode(definition, problems), [definition, problems])
  return (
    <>
      <ProblemList of={problems} title="It cannot be published" titleOfWarnings="Warnings" />
      <Section
        title="Steps"
        about={triggerInWords(definition.trigger, names)}
        actions={
          <SegmentedControl
            aria-label="How to show the steps"
            size="xs"
            value={view || 'graph'}
            onChange={(value) => setView(value === 'graph' ? null : value)}
            data={[
              { value: 'graph', label: 'Graph' },
              { value: 'list', label: 'List' },
            ]}
          />
        }
      >
        <ReadNotices of={[answer]} />
        <Facts
          of={[
            ['In it now', counts ? counted(counts.active + counts.waiting + counts.paused, 'contact') : '…'],
            [
              'In other versions',
              counts && counts.in_other_versions > 0 ? counted(counts.in_other_versions, 'contact') : null,
            ],
            ['Waiting', counts?.waiting.toLocaleString('en') ?? '…'],
            ['Completed', counts?.completed.toLocaleString('en') ?? '…'],
            ['Failed', counts?.failed.toLocaleString('en') ?? '…'],
            [
              'Estimate when this version was saved',
              preview.estimate && `${counted(preview.estimate.contacts, 'contact')} (${preview.estimate.basis})`,
            ],
          ]}
        />
        {view === 'list' ? (
          <DataTable
            label="Steps"
            roomOf={3}
            rows={definition.nodes}
            keyOf={({ key }) => key}
            empty="No step"
            columns={[
              { title: 'Step', cell: (node) => <code>{node.key}</code> },
              {
                title: 'What',
                cell: (node) => (
                  <>
                    {nodeInWords(node, names)}
                    {ofNodes.get(node.key)?.map(({ text, isWarning }) => (
                      <Text key={text} size="sm" c={`var(--mantine-color-${colorOf(isWarning)}-text)`}>
                        ⚠ {text}
                      </Text>
                    ))}
                  </>
                ),
              },
              {
                title: 'After',
                cell: (node) => {
                  const step = preview.steps.find((one) => one.node_key === node.key)
                  return step ? spanOf(step.after_seconds) || 'at once' : 'never reached'
                },
              },
              {
                title: 'People',
                cell: (node) => countsInWords(counts?.nodes, node.key),
              },
              {
                title: 'Then',
                cell: (node) => (
                  <Text size="sm">
                    {definition.edges
                      .filter(({ from }) => from === node.key)
                      .map(({ to, condition }) => (condition ? `${to} if ${conditionInWords(condition)}` : to))
                      .join('; ') || '–'}
                  </Text>
                ),
              },
            ]}
          />
        ) : (
          <Suspense fallback={<PageLoading />}>
            <Graph definition={definition} counts={counts?.nodes} names={names} problems={ofNodes} />
          </Suspense>
        )}
      </Section>
    </>
  )
}
