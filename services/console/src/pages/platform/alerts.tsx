import type { Alert } from '@lettergate/client/console'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { counted } from '../../parts/words.ts'
import { consoleApi } from '../../session/clients.ts'
import { useChange, usePages } from '../../session/use-answer.ts'

const About = ({ alert }: { alert: Alert }) => (
  <Stack gap={2}>
    <Text size="sm" fw={600}>
      {alert.summary}
    </Text>
    <Text size="xs" c="dimmed">
      <code>{alert.code}</code>
      {alert.workspace ? ` in ${alert.organization}/${alert.workspace}` : ''}, {counted(alert.times, 'time')}. Runbook:{' '}
      <code>{alert.runbook}</code>
    </Text>
  </Stack>
)

/** Alerts of the platform, newest first. Acknowledging says that somebody looks after it. */
export default function AlertsPage() {
  const [shown, setShown] = useFilter('show')
  const pages = usePages(['alerts', shown], (page, options) =>
    consoleApi.listAlerts({ ...page, ...(shown === 'all' ? {} : { acknowledged: false }) }, options),
  )
  const acknowledge = useChange((id: string) => consoleApi.acknowledgeAlert({ alert_id: id }), undefined, {
    done: 'Alert acknowledged',
    failed: 'The alert is not acknowledged',
  })
  return (
    <Page
      title="Alerts"
      about="Each alert has a runbook in docs/runbooks: what it means, how to check, what to do."
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
                <Group>
                  <Button
                    size="compact-sm"
                    variant="default"
                    loading={acknowledge.isPending && acknowledge.variables === alert.id}
                    onClick={() => acknowledge.mutate(alert.id)}
                  >
                    Acknowledge
                  </Button>
                </Group>
              ),
          },
        ]}
      />
    </Page>
  )
}
