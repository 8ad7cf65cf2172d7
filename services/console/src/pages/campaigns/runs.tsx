import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { RunTrends } from './run-trends.tsx'
import { RunsTable } from './runs-table.tsx'

/** Every run of the workspace, to compare them. */
export default function RunsPage() {
  return (
    <Page
      title="Runs"
      about="Each time a campaign was sent, or will be. Compare how many emails arrived and were opened."
    >
      <RunTrends />
      <Filters>
        <ChoiceFilter
          name="state"
          label="State"
          choices={['scheduled', 'sending', 'paused', 'completed', 'unscheduled', 'cancelled', 'failed']}
        />
      </Filters>
      <RunsTable />
    </Page>
  )
}
