import type { ListedCampaignRun } from '@lettergate/client/console'
import { SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { DataTable } from '../../parts/data-table.tsx'
import { Line } from '../../parts/line.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Section } from '../../parts/section.tsx'
import { useKnownFilter } from '../../parts/use-filter.ts'
import { counted, percent } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { rateInWords, runRates, trendRunsOf } from './trends.ts'

/** How the rates of the last runs changed, as lines and as a table. Nothing until two runs are over. */
export function RunTrends() {
  const { name, console } = useWorkspace()
  const [view, setView] = useKnownFilter('view', (value) => value === 'table')
  const answer = useAnswer([name, 'runs', 'trends'], (options) => console.listCampaignRuns({ limit: 50 }, options))
  const runs = trendRunsOf(answer.data?.campaign_runs ?? [])
  if (runs.length < 2) return null
  return (
    <Section
      title="Trends"
      about={`The last ${counted(runs.length, 'run')} that are over, compared with the median of the runs before. Some readers' programs open every email, and others hide it, so compare opened rates only with each other.`}
      actions={
        <SegmentedControl
          aria-label="How to show the trends"
          size="xs"
          value={view || 'line'}
          onChange={(value) => setView(value === 'line' ? null : value)}
          data={[
            { value: 'line', label: 'Lines' },
            { value: 'table', label: 'Table' },
          ]}
        />
      }
    >
      {view ? <TrendTable runs={runs} /> : <TrendLines runs={runs} />}
    </Section>
  )
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const dayOf = (run: ListedCampaignRun | undefined) => format.format(new Date(run?.started_at ?? 0))

const TrendLines = ({ runs }: { runs: readonly ListedCampaignRun[] }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
    {runRates.map(({ title, of }) => {
      const rates = runs.map(of)
      return (
        <Stack key={title} gap={4}>
          <Title order={3} size="h5">
            {title}
          </Title>
          <Text size="sm">{rateInWords(rates)}</Text>
          <Line
            label={`${title} in ${counted(runs.length, 'run')}: ${rateInWords(rates)}. The table has each number.`}
            values={rates.map((value, at) => ({ at, value }))}
            inWords={(rate) => percent(rate, 1)}
            from={dayOf(runs[0])}
            to={dayOf(runs.at(-1))}
            isSmall
          />
        </Stack>
      )
    })}
  </SimpleGrid>
)

const TrendTable = ({ runs }: { runs: readonly ListedCampaignRun[] }) => (
  <DataTable
    label="Rates of the last runs"
    rows={runs.toReversed()}
    keyOf={({ id }) => id}
    empty="No run is over"
    columns={[
      { title: 'Run', cell: (run) => <PageLink to={`/runs/${run.id}`}>{run.campaign_name}</PageLink> },
      { title: 'Started', cell: (run) => <Moment at={run.started_at} /> },
      { title: 'Sent', isNumber: true, cell: (run) => run.sent_count.toLocaleString('en') },
      ...runRates.map(({ title, of }) => ({
        title,
        isNumber: true,
        cell: (run: ListedCampaignRun) => percent(of(run), 1),
      })),
    ]}
  />
)
