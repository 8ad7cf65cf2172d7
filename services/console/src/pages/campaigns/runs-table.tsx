import type { ListedCampaignRun } from '@lettergate/client/console'
import { PageLink } from '../../parts/link.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { SharesBar } from '../../parts/shares-bar.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { percent } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { runColumns } from './run-columns.tsx'

/** Runs, newest first, with their outcomes beside each other. */
export function RunsTable({ campaignId }: { campaignId?: string }) {
  const { name, console } = useWorkspace()
  const filters = useFilters('state')
  const asked = campaignId === undefined ? (filters as object) : { campaign_id: campaignId }
  const pages = usePages(
    [name, 'runs', asked],
    (page, options) => console.listCampaignRuns({ ...page, ...asked, limit: 50 }, options),
    {
      everyMs: (read) =>
        read.some((page) => page.campaign_runs.some(({ state }) => state === 'sending')) ? 5_000 : 15_000,
    },
  )
  return (
    <PagedTable
      label="Runs"
      pages={pages}
      rowsOf={(page) => page.campaign_runs}
      keyOf={({ id }) => id}
      isEndless={campaignId === undefined}
      empty={
        'state' in filters ? (
          <Empty title="No run has this state">Choose another state, or clear the filter.</Empty>
        ) : (
          <Empty title="Nothing ran yet">
            A run begins when a campaign is scheduled.{' '}
            {campaignId === undefined && <PageLink to="/campaigns">See the campaigns</PageLink>}
          </Empty>
        )
      }
      columns={[
        ...runColumns,
        { title: 'Bounced', isNumber: true, cell: (run) => percent(run.hard_bounced, run.sent_count) },
        { title: 'Outcomes', cell: (run) => <RunBar run={run} /> },
      ]}
    />
  )
}

const RunBar = ({ run }: { run: ListedCampaignRun }) => (
  <SharesBar
    label={`Outcomes of ${run.campaign_name}`}
    isSmall
    shares={[
      { name: 'Delivered', count: run.delivered, color: 'green.7' },
      { name: 'Hard bounced', count: run.hard_bounced, color: 'red.8' },
      { name: 'No final answer yet', count: run.sent_count - run.delivered - run.hard_bounced, color: 'gray.5' },
    ]}
  />
)
