import { SegmentedControl } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { Line } from '../../parts/line.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useKnownFilter } from '../../parts/use-filter.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { signed, trendInWords, valuesOf, withChanges } from './member-days.ts'

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const inWords = (day: string) => format.format(new Date(day))

/** How many members an audience had at the end of each day of a year, as a line and as a table. */
export function MembersOverTime({ audienceId }: { audienceId: string }) {
  const { name, console } = useWorkspace()
  const [view, setView] = useKnownFilter('view', (value) => value === 'table')
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
          !hasLine ? null : view ? (
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
            <Line
              label={`Active members from ${inWords(days[0]!.day)} to ${inWords(days.at(-1)!.day)}: ${trendInWords(days)} The table has each number.`}
              values={valuesOf(days)}
              inWords={(count) => count.toLocaleString('en')}
              from={inWords(days[0]!.day)}
              to={inWords(days.at(-1)!.day)}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
