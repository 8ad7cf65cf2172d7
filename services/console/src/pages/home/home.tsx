import type { ListedCampaignRun } from '@lettergate/client/console'
import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { counted, percent } from '../../parts/words.ts'
import { runColumns } from '../campaigns/run-columns.tsx'
import { FirstSteps } from './first-steps-list.tsx'
import { NeedsYou } from './needs-you.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

function Tile({ title, value, about, to }: { title: string; value: string | undefined; about: string; to: string }) {
  return (
    <Card withBorder>
      <Text size="sm" c="dimmed">
        <PageLink to={to}>{title}</PageLink>
      </Text>
      <Text fz={28} fw={700}>
        {value ?? '…'}
      </Text>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
    </Card>
  )
}

const weekMs = 7 * 24 * 3_600_000
const sumOf = (runs: readonly ListedCampaignRun[], field: 'sent_count' | 'delivered' | 'hard_bounced') =>
  runs.reduce((sum, run) => sum + run[field], 0)

/** What happens in the workspace: its audiences, the last runs, and what waits for the user. */
export default function HomePage() {
  const { name, workspace, console } = useWorkspace()
  const audiences = useAudiences()
  const runs = useAnswer([name, 'runs', 'newest'], (options) => console.listCampaignRuns({ limit: 50 }, options), {
    everyMs: 10_000,
  })
  const used = audiences.data?.audiences.filter((audience) => !audience.is_archived)
  const recent = runs.data?.campaign_runs.filter(
    (run) => run.started_at !== null && Date.now() - Date.parse(run.started_at) < weekMs,
  )
  const sent = recent && sumOf(recent, 'sent_count')
  return (
    <Page
      title={workspace.name}
      about={
        workspace.is_archived ? 'This workspace is archived: its data stays, and nothing is sent from it.' : undefined
      }
    >
      <NeedsYou />
      <FirstSteps />
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        <Tile
          title="Audiences"
          to="/audiences"
          value={used?.length.toLocaleString('en')}
          about={
            used
              ? `${counted(
                  used.reduce((sum, one) => sum + one.active_member_count, 0),
                  'active member',
                )} in all`
              : ''
          }
        />
        <Tile
          title="Handed off in 7 days"
          to="/runs"
          value={sent?.toLocaleString('en')}
          about="messages of campaigns"
        />
        <Tile
          title="Delivered of them"
          to="/runs?state=completed"
          value={recent && sent !== undefined ? percent(sumOf(recent, 'delivered'), sent) : undefined}
          about="confirmed by the provider"
        />
        <Tile
          title="Bounced of them"
          to="/suppressions?state=unresolved"
          value={recent && sent !== undefined ? percent(sumOf(recent, 'hard_bounced'), sent) : undefined}
          about="a run pauses itself when this is too high"
        />
      </SimpleGrid>
      <Stack gap="xs">
        <Title order={2} size="h4">
          Newest runs
        </Title>
        <UnderWay runs={runs.data?.campaign_runs ?? []} />
        <AnswerTable
          label="Newest runs"
          answer={runs}
          rowsOf={(data) => data.campaign_runs.slice(0, 8)}
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

function UnderWay({ runs }: { runs: readonly ListedCampaignRun[] }) {
  const counts = (['sending', 'scheduled'] as const)
    .map((state) => [state, runs.filter((run) => run.state === state).length] as const)
    .filter(([, count]) => count > 0)
  if (counts.length === 0) return null
  return (
    <Text size="sm">
      Under way:{' '}
      {counts.map(([state, count], index) => (
        <Fragment key={state}>
          {index > 0 && ', '}
          <PageLink to={`/runs?state=${state}`}>
            {counted(count, 'run')} {state}
          </PageLink>
        </Fragment>
      ))}
    </Text>
  )
}
