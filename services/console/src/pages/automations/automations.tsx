import { Alert } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { slugField, slugFor } from '../../dialogs/slug.ts'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAudiences, useAutomations } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** All automations of the workspace. */
export default function AutomationsPage() {
  const answer = useAutomations({ everyMs: 10_000 })
  const { status } = useFilters('status')
  return (
    <Page
      title="Automations"
      about="Emails and changes that begin with an event of one person, such as joining an audience."
      actions={answer.data && answer.data.automations.length > 0 && <NewAutomation />}
    >
      <RoleNote needs="edit_automations" />
      {answer.data?.runtime_enabled === false && (
        <Alert color="orange" title="The gate for automations is closed">
          No automation makes a step, and triggers that fire now enroll nobody. A platform owner or administrator opens
          it.
        </Alert>
      )}
      <Filters>
        <ChoiceFilter
          name="status"
          label="Status"
          choices={['draft', 'ready_for_review', 'published', 'paused', 'archived']}
        />
      </Filters>
      <AnswerTable
        label="Automations"
        roomOf={4}
        answer={answer}
        rowsOf={(data) => data.automations.filter((one) => status === undefined || one.status === status)}
        keyOf={({ id }) => id}
        empty={
          status !== undefined && (answer.data?.automations.length ?? 0) > 0 ? (
            <Empty title="No automation matches">Change or clear the filter.</Empty>
          ) : (
            <Empty title="There is no automation yet" action={<NewAutomation />}>
              An automation writes to one person after another, for example when somebody joins an audience. Create one,
              add its steps as a graph, then review and publish it.
            </Empty>
          )
        }
        columns={[
          { title: 'Automation', cell: (row) => <PageLink to={`/automations/${row.id}`}>{row.name}</PageLink> },
          { title: 'Status', cell: (row) => <StateBadge state={row.status} /> },
          { title: 'What it does', cell: (row) => row.description ?? '–' },
          { title: 'Version', isNumber: true, cell: (row) => row.current_version },
          {
            title: 'Reviewed',
            cell: (row) =>
              row.review_ready_version === null
                ? 'no'
                : `version ${row.review_ready_version}, by ${row.review_ready_by_wallet_id}`,
          },
        ]}
      />
    </Page>
  )
}

/** An automation with nothing but its end; its steps are added in the graph. */
function NewAutomation() {
  const { api, may } = useWorkspace()
  const audiences = useAudiences()
  if (!may('edit_automations')) return null
  return (
    <ActButton
      label="Create an automation"
      act="Create it"
      consequences={['It is a draft: it enrolls nobody until you publish it.']}
      fields={{
        name: { kind: 'text', label: 'Name' },
        slug: slugField,
        description: { kind: 'text', label: 'What is it for?', isRequired: false },
        audience: {
          kind: 'choice',
          label: 'It begins when somebody joins',
          read: audiences,
          about: 'The graph editor also offers tags.',
          choices: (audiences.data?.audiences ?? [])
            .filter(({ is_archived }) => !is_archived)
            .map(({ id, name }) => ({ value: id, label: name })),
        },
      }}
      run={({ name, slug, description, audience }, key) =>
        api.createAutomation({
          body: {
            name,
            slug: slugFor('automation', name, slug, key),
            ...(description ? { description } : {}),
            definition: {
              trigger: { type: 'audience_subscribed', config: { audience_id: audience } },
              start_node: 'end',
              nodes: [{ key: 'end', type: 'end', config: {} }],
              edges: [],
            },
          },
        })
      }
      goesTo={({ automation }) => `/automations/${automation.id}/edit`}
      button={{ variant: 'filled' }}
    />
  )
}
