import type { Alert } from '@lettergate/client/console'
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useKnownFilter } from '../../parts/use-filter.ts'
import { counted } from '../../parts/words.ts'
import { consoleApi } from '../../session/clients.ts'
import { usePages } from '../../session/use-answer.ts'
import { useMe } from '../../session/use-me.ts'

const whereOf = ({ organization, workspace }: Alert) => (workspace ? ` in ${organization}/${workspace}` : '')

const About = ({ alert }: { alert: Alert }) => (
  <Stack gap={2}>
    <Text size="sm" fw={600}>
      {alert.summary}
    </Text>
    <Text size="xs" c="dimmed">
      <code>{alert.code}</code>
      {whereOf(alert)}, {counted(alert.times, 'time')}
    </Text>
    <Runbook alert={alert} />
  </Stack>
)

const Runbook = ({ alert }: { alert: Alert }) => (
  <Text size="xs">
    <PageLink to={`/runbooks/${alert.code}`}>Runbook of {alert.code}</PageLink>
  </Text>
)

function Acknowledge({ alert }: { alert: Alert }) {
  const me = useMe().data?.user.username
  return (
    <ActButton
      label="Acknowledge"
      title="Acknowledge the alert?"
      consequences={[
        `It says that you look after “${alert.summary}”${whereOf(alert)}. Other operators see your name and the time.`,
        'It does not fix the problem: follow the runbook.',
        'The alert leaves this list, and “All” still shows it. This cannot be undone.',
        'If the problem is reported again, a new alert is raised.',
      ]}
      run={() => consoleApi.acknowledgeAlert({ alert_id: alert.id })}
      // The service answers the same to the second one, and keeps the first name.
      done={({ alert: { acknowledged_by: by } }) => (by === me ? undefined : `${by} acknowledged it before`)}
    >
      <Runbook alert={alert} />
    </ActButton>
  )
}

/** Alerts of the platform, newest first. Acknowledging says that somebody looks after it. */
export default function AlertsPage() {
  const [shown, setShown] = useKnownFilter('show', (value) => value === 'all')
  const pages = usePages(
    ['alerts', shown],
    (page, options) => consoleApi.listAlerts({ ...page, ...(shown ? {} : { acknowledged: false }) }, options),
    { everyMs: () => 15_000 },
  )
  return (
    <Page
      title="Alerts"
      about={
        <>
          Each alert has a <PageLink to="/runbooks">runbook</PageLink>: what it means, what its effect is, what to do.
        </>
      }
      actions={
        <SegmentedControl
          aria-label="Which alerts"
          value={shown || 'open'}
          onChange={(value) => setShown(value === 'open' ? null : value)}
          data={[
            { value: 'open', label: 'Not acknowledged' },
            { value: 'all', label: 'All' },
          ]}
        />
      }
    >
      <PagedTable
        label="Alerts"
        pages={pages}
        rowsOf={(page) => page.alerts}
        keyOf={({ id }) => id}
        empty={<Empty title="Nothing needs you">New alerts appear here, and at the alert webhook if one is set.</Empty>}
        columns={[
          { title: 'Severity', cell: (alert) => <StateBadge state={alert.severity} /> },
          { title: 'Alert', cell: (alert) => <About alert={alert} /> },
          { title: 'Last raised', cell: (alert) => <Moment at={alert.last_raised_at} /> },
          {
            title: 'Acknowledged',
            cell: (alert) =>
              alert.acknowledged_at ? (
                <Text size="sm">
                  {alert.acknowledged_by}, <Moment at={alert.acknowledged_at} />
                </Text>
              ) : (
                <Acknowledge alert={alert} />
              ),
          },
        ]}
      />
    </Page>
  )
}
