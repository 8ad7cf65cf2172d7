import type { SendingOverviewResponse } from '@lettergate/client/console'
import { Card, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, LateAnswer, Page } from '../../parts/page.tsx'
import { counted, percent } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { runColumns } from '../campaigns/run-columns.tsx'
import { FirstSteps } from './first-steps-list.tsx'
import { NeedsYou } from './needs-you.tsx'

/** One number with what it counts, and a link to a list, which may have more than what was counted. */
function Tile<Output>({
  title,
  link: [to, words],
  answer,
  of,
}: {
  title: string
  link: readonly [to: string, words: string]
  answer: UseQueryResult<Output>
  of: (data: Output) => readonly [value: string, about: string]
}) {
  const [value, about] = answer.data === undefined ? [] : of(answer.data)
  return (
    <Card withBorder component="section" aria-label={title}>
      <Text size="sm">{title}</Text>
      {value !== undefined ? (
        <>
          <Text fz={28} fw={700}>
            {value}
          </Text>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </>
      ) : answer.error ? (
        <FailedReads of={[answer]} />
      ) : (
        <Stack gap="xs" py="xs" role="status" aria-label="Loading">
          <Skeleton h={24} w={80} />
          <Skeleton h={14} />
          <LateAnswer />
        </Stack>
      )}
      <Text size="sm" mt={4}>
        <PageLink to={to}>{words}</PageLink>
      </Text>
    </Card>
  )
}

const sumOf = (
  { campaigns, automations }: SendingOverviewResponse,
  field: keyof SendingOverviewResponse['campaigns'],
) => campaigns[field] + automations[field]

/** What happens in the workspace: its audiences, the last 7 days, the next and the last runs, and what waits for the user. */
export default function HomePage() {
  const { name, workspace, console } = useWorkspace()
  const audiences = useAudiences()
  const overview = useAnswer([name, 'sending-overview'], (options) => console.getSendingOverview({}, options), {
    everyMs: 30_000,
  })
  const runs = useAnswer([name, 'runs', 'newest'], (options) => console.listCampaignRuns({ limit: 8 }, options), {
    everyMs: 10_000,
  })
  return (
    <Page
      title={workspace.name}
      about={
        workspace.is_archived ? 'This workspace is archived: its data stays, and nothing is sent from it.' : undefined
      }
    >
      <NeedsYou />
      <FirstSteps runs={runs} />
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        <Tile
          title="Audiences"
          link={['/audiences', 'See the audiences']}
          answer={audiences}
          of={(data) => {
            const used = data.audiences.filter((audience) => !audience.is_archived)
            const members = used.reduce((sum, one) => sum + one.active_member_count, 0)
            return [used.length.toLocaleString('en'), `${counted(members, 'active member')} in all`]
          }}
        />
        <Tile
          title="Handed off in 7 days"
          link={['/runs', 'See all runs']}
          answer={overview}
          of={(data) => [
            sumOf(data, 'sent').toLocaleString('en'),
            `${data.campaigns.sent.toLocaleString('en')} by campaigns, ${data.automations.sent.toLocaleString('en')} by automations`,
          ]}
        />
        <Tile
          title="Delivered of them"
          link={['/runs?state=completed', 'See the completed runs']}
          answer={overview}
          of={(data) => [percent(sumOf(data, 'delivered'), sumOf(data, 'sent')), 'confirmed by the provider']}
        />
        <Tile
          title="Bounced of them"
          link={['/suppressions?reason=hard_bounce', 'See the suppressions after bounces']}
          answer={overview}
          of={(data) => [
            percent(sumOf(data, 'hard_bounced'), sumOf(data, 'sent')),
            'a run pauses itself when this is too high',
          ]}
        />
      </SimpleGrid>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Next runs
        </Title>
        {overview.data && <UnderWay overview={overview.data} />}
        <AnswerTable
          label="Next runs"
          answer={overview}
          rowsOf={(data) => data.next_runs}
          keyOf={({ id }) => id}
          empty="No run is scheduled"
          columns={[
            {
              title: 'Campaign',
              cell: (run) => <PageLink to={`/runs/${run.id}`}>{run.campaign_name}</PageLink>,
            },
            { title: 'Begins', cell: (run) => <Moment at={run.scheduled_for} /> },
            { title: 'Recipients', isNumber: true, cell: (run) => run.included_count.toLocaleString('en') },
          ]}
        />
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Newest runs
        </Title>
        <AnswerTable
          label="Newest runs"
          roomOf={4}
          answer={runs}
          rowsOf={(data) => data.campaign_runs}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No campaign has run yet">
              A campaign needs an audience, a template and an enabled sender.{' '}
              <PageLink to="/campaigns">See the campaigns</PageLink>
            </Empty>
          }
          columns={runColumns}
        />
      </Stack>
    </Page>
  )
}

/** The counts that the tables below do not show, with links to the lists. */
function UnderWay({ overview: { runs_sending, runs_scheduled, next_runs } }: { overview: SendingOverviewResponse }) {
  const hasMore = runs_scheduled > next_runs.length
  if (runs_sending === 0 && !hasMore) return null
  return (
    <Text size="sm">
      {runs_sending > 0 && (
        <>
          Under way: <PageLink to="/runs?state=sending">{counted(runs_sending, 'run')} sending</PageLink>
          {'. '}
        </>
      )}
      {hasMore && (
        <>
          The next {next_runs.length} of{' '}
          <PageLink to="/runs?state=scheduled">{counted(runs_scheduled, 'run')} scheduled</PageLink>.
        </>
      )}
    </Text>
  )
}
