import type { AudienceMemberDay } from '@lettergate/client/console'
import { Group, SegmentedControl, Text } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { lineOf, signed, trendInWords, withChanges } from './member-days.ts'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const inWords = (day: string) => format.format(new Date(day))

/** How many members an audience had at the end of each day of a year, as a line and as a table. */
export function MembersOverTime({ audienceId }: { audienceId: string }) {
  const { name, console } = useWorkspace()
  const [view, setView] = useFilter('view')
  const answer = useAnswer([name, 'audience-member-days', audienceId], (options) =>
    console.listAudienceMemberDays({ audience_id: audienceId }, options),
  )
  const hasLine = (answer.data?.days.length ?? 0) > 1
  return (
    <Section
      title="Members over time"
      about={answer.data && trendInWords(answer.data.days)}
      actions={
        hasLine && (
          <SegmentedControl
            aria-label="How to show the members"
            size="xs"
            value={view || 'line'}
            onChange={(value) => setView(value === 'line' ? null : value)}
            data={[
              { value: 'line', label: 'Line' },
              { value: 'table', label: 'Table' },
            ]}
          />
        )
      }
    >
      <Loaded answer={answer}>
        {({ days }) =>
          !hasLine ? null : view === 'table' ? (
            <DataTable
              label="Members by day"
              rows={withChanges(days)}
              keyOf={({ day }) => day}
              empty="Nothing was counted yet"
              columns={[
                { title: 'Day (UTC)', cell: ({ day }) => inWords(day) },
                { title: 'Active members', isNumber: true, cell: ({ members }) => members.toLocaleString('en') },
                { title: 'Change', isNumber: true, cell: ({ change }) => (change === null ? '–' : signed(change)) },
              ]}
            />
          ) : (
            <Line days={days} />
          )
        }
      </Loaded>
    </Section>
  )
}

const box = { width: 600, height: 100 }

function Line({ days }: { days: readonly AudienceMemberDay[] }) {
  const counts = days.map((day) => day.active_member_count)
  const first = days[0]!
  const last = days.at(-1)!
  const range = [Math.max(...counts), Math.min(...counts)].map((count) => count.toLocaleString('en'))
  return (
    <div>
      <Group gap="xs" wrap="nowrap" align="stretch">
        <div className="scale">
          <span>{range[0]}</span>
          {range[0] !== range[1] && <span>{range[1]}</span>}
        </div>
        <svg
          className="line"
          viewBox={`0 -4 ${box.width} ${box.height + 8}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Active members from ${inWords(first.day)} to ${inWords(last.day)}: ${trendInWords(days)} The table has each number.`}
        >
          <polyline
            points={lineOf(days, box)
              .map(({ x, y }) => `${x},${y}`)
              .join(' ')}
          />
        </svg>
      </Group>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {inWords(first.day)}
        </Text>
        <Text size="xs" c="dimmed">
          {inWords(last.day)}
        </Text>
      </Group>
    </div>
  )
}
