import { Text } from '@mantine/core'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { SendTest } from './send-test.tsx'
import { capsInWords } from './test-caps.tsx'

/** Emails to one's own address, with what became of them. */
export function TestSends() {
  const { name, console } = useWorkspace()
  const pages = usePages(
    [name, 'test-sends'],
    (page, options) => console.listTestSends({ ...page, limit: 20 }, options),
    {
      everyMs: (read) =>
        read.some((page) => page.test_sends.some(({ state }) => ['queued', 'accepted'].includes(state))) && 3_000,
    },
  )
  const caps = pages.data?.pages[0]?.caps
  return (
    <Section title="Test sends" about={caps && capsInWords(caps)} isPlain actions={<SendTest />}>
      <PagedTable
        label="Test sends"
        pages={pages}
        rowsOf={(page) => page.test_sends}
        keyOf={({ id }) => id}
        empty={<Empty title="No test was sent yet">Send yourself what your readers will get.</Empty>}
        columns={[
          { title: 'To', cell: (row) => row.recipient_email },
          {
            title: 'State',
            cell: (row) => <StateBadge state={row.hand_off_state === 'unknown' ? 'unknown' : row.state} />,
          },
          { title: 'Why', cell: (row) => <Text size="sm">{row.reason ? inWords(row.reason) : '–'}</Text> },
          {
            title: 'Sent',
            cell: (row) => <MomentBy at={row.created_at} by={row.requested_by} />,
          },
          {
            title: 'Events',
            cell: (row) =>
              Object.entries(row.event_counts)
                .filter(([, count]) => count > 0)
                .map(([event, count]) => `${event} ${count}`)
                .join(', ') || '–',
          },
        ]}
      />
    </Section>
  )
}
