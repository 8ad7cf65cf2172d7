import type { TestSendCaps } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { MomentBy } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { TestButton } from './test-button.tsx'

/** “Left: 3 of 5 this hour, 10 of 20 today.” */
export const capsInWords = (caps: TestSendCaps): string =>
  `Left: ${caps.hourly_left} of ${caps.hourly_cap} this hour, ${caps.daily_left} of ${caps.daily_cap} today.`

/** Emails to one's own address, with what became of them. */
export function TestSends() {
  const { name, api, console } = useWorkspace()
  const pages = usePages([name, 'test-sends'], (page, options) =>
    console.listTestSends({ ...page, limit: 20 }, options),
  )
  const caps = pages.data?.pages[0]?.caps
  return (
    <Section
      title="Test sends"
      about={caps && capsInWords(caps)}
      isPlain
      actions={
        <TestButton
          label="Send a test"
          title="Send a test email"
          act="Send it"
          consequences={['One real email is sent, and one of the caps is used. It is never sent twice.']}
          phrase="SEND TEST EMAIL"
          run={(body, idempotency_key) => api.createTestSend({ idempotency_key, body })}
        />
      }
    >
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
