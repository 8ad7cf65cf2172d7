import { Alert } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** All automations of the workspace. */
export default function AutomationsPage() {
  const { name, api } = useWorkspace()
  const answer = useAnswer([name, 'automations'], (options) => api.listAutomations({}, options), { everyMs: 10_000 })
  return (
    <Page
      title="Automations"
      about="Emails and changes that begin with an event of one person, such as joining an audience."
    >
      {answer.data?.runtime_enabled === false && (
        <Alert color="orange" title="The gate for automations is closed">
          No automation makes a step, and triggers that fire now enroll nobody. A platform owner or administrator opens
          it.
        </Alert>
      )}
      <DataTable
        label="Automations"
        rows={answer.data?.automations}
        error={answer.error}
        onRetry={() => void answer.refetch()}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no automation yet">
            Create one with the API or the command line, then review and publish it here.
          </Empty>
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
