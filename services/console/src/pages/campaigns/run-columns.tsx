import type { ListedCampaignRun } from '@lettergate/client/console'
import { Group, Text } from '@mantine/core'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import type { TableColumn } from '../../parts/rows.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { percent } from '../../parts/words.ts'
import { holdOf } from './held-words.ts'

/** What every list of runs shows. */
export const runColumns: readonly TableColumn<ListedCampaignRun>[] = [
  {
    title: 'Run',
    cell: (run) => (
      <PageLink to={`/runs/${run.id}`}>
        {run.campaign_name}
        {run.resends_run_id ? ' (unknown again)' : ''}
      </PageLink>
    ),
  },
  {
    title: 'State',
    cell: (run) => (
      <Group gap={6}>
        <StateBadge state={run.state} />
        {run.held_by && <Text size="xs">held: {holdOf(run.held_by).what}</Text>}
      </Group>
    ),
  },
  { title: 'Planned for', cell: (run) => <Moment at={run.scheduled_for} /> },
  { title: 'Sent', isNumber: true, cell: (run) => run.sent_count.toLocaleString('en') },
  { title: 'Delivered', isNumber: true, cell: (run) => percent(run.delivered, run.sent_count) },
]
