import type { Gate } from '@lettergate/client/console'
import { Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { gatesInWords } from '../../parts/gates-in-words.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { consoleApi } from '../../session/clients.ts'
import { useGates } from '../../session/use-gates.ts'

function GateCard({ gate }: { gate: Gate }) {
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
          <ActButton
            label={gate.stored ? 'Close' : 'Open'}
            title={`${gate.stored ? 'Close' : 'Open'} ${about.title.toLowerCase()}?`}
            consequences={['This holds for every workspace of the platform.', gate.stored ? about.closed : about.open]}
            act={gate.stored ? 'Close the gate' : 'Open the gate'}
            isDangerous={(gate.name === 'rate_limit_enabled') === gate.stored}
            run={() => consoleApi.setPlatformGate({ name: gate.name, body: { enabled: !gate.stored } })}
            done={({ gate: now }) => `${about.title}: ${now.stored ? 'opened' : 'closed'}`}
          />
        </Group>
      </Stack>
    </Card>
  )
}

/** The platform gates: the switch, the ceiling of the environment, and the effect of both. */
export default function GatesPage() {
  return (
    <Page
      title="Gates"
      about="A gate is open when its switch is open and the environment allows it. A change takes effect everywhere within seconds, and the audit log keeps it."
    >
      <Loaded answer={useGates()}>
        {(data) => (
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
            {data.gates.map((gate) => (
              <GateCard key={gate.name} gate={gate} />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  )
}
