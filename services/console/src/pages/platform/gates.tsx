import type { Gate } from '@lettergate/client/console'
import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { ConfirmDialog } from '../../dialogs/confirm-dialog.tsx'
import { gatesInWords } from '../../parts/gates-in-words.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { consoleApi } from '../../session/clients.ts'
import { useChange } from '../../session/use-answer.ts'
import { useGates } from '../../session/use-gates.ts'

function GateCard({ gate, onChange }: { gate: Gate; onChange: () => void }) {
  const about = gatesInWords[gate.name]
  const isHeldByCeiling = gate.stored && gate.ceiling === false
  return (
    <Card withBorder component="section" aria-label={about.title}>
      <Stack gap="xs" h="100%">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {about.title}
          </Title>
          <StateBadge state={gate.effective ? 'open' : 'closed'} />
        </Group>
        <Text size="sm">{gate.effective ? about.open : about.closed}</Text>
        <Text size="sm" c="dimmed">
          Switch: {gate.stored ? 'open' : 'closed'}.{' '}
          {gate.ceiling === null
            ? 'The environment sets no ceiling.'
            : `The environment ${gate.ceiling ? 'allows' : 'does not allow'} it.`}{' '}
          {isHeldByCeiling && 'Change the environment of the deployment to open it.'}
        </Text>
        <Group justify="space-between" mt="auto">
          <Text size="xs" c="dimmed">
            {gate.updated_by ? (
              <>
                By {gate.updated_by}, <Moment at={gate.updated_at} />
              </>
            ) : (
              'Never changed'
            )}
          </Text>
          <Button size="compact-sm" variant="default" onClick={onChange}>
            {gate.stored ? 'Close' : 'Open'}
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}

/** The platform gates: the switch, the ceiling of the environment, and the effect of both. */
export default function GatesPage() {
  const answer = useGates()
  const [changing, setChanging] = useState<Gate | null>(null)
  const change = useChange(
    ({ name, stored }: Gate) => consoleApi.setPlatformGate({ name, body: { enabled: !stored } }),
    () => setChanging(null),
    { done: 'Gate changed', notDone: 'Gate not changed' },
  )
  return (
    <Page
      title="Gates"
      about="A gate is open when its switch is open and the environment allows it. A change takes effect everywhere within seconds, and the audit log keeps it."
    >
      <Loaded answer={answer}>
        {(data) => (
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
            {data.gates.map((gate) => (
              <GateCard
                key={gate.name}
                gate={gate}
                onChange={() => {
                  change.reset()
                  setChanging(gate)
                }}
              />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
      {changing && (
        <ConfirmDialog
          title={`${changing.stored ? 'Close' : 'Open'} ${gatesInWords[changing.name].title.toLowerCase()}?`}
          consequences={[
            'This holds for every workspace of the platform.',
            changing.stored ? gatesInWords[changing.name].closed : gatesInWords[changing.name].open,
          ]}
          act={changing.stored ? 'Close the gate' : 'Open the gate'}
          isDangerous={(changing.name === 'rate_limit_enabled') === changing.stored}
          change={change}
          onClose={() => setChanging(null)}
          onConfirm={() => change.mutate(changing)}
        />
      )}
    </Page>
  )
}
