import type { IdentityResponse } from '@lettergate/client'
import { Badge, Button, Popover, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { gatesInWords } from '../parts/gates-in-words.ts'
import { PageLink } from '../parts/link.tsx'
import { counted } from '../parts/words.ts'
import { useHealth } from '../session/use-health.ts'
import { administersPlatform } from '../session/use-me.ts'
import { useWorkspaces } from '../session/use-workspaces.ts'
import { useClosedGates } from './use-closed-gates.ts'

function Chip({ text, color, children }: { text: ReactNode; color: string; children: ReactNode }) {
  return (
    <Popover width={280} withArrow position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton>
          <Badge color={color} variant="dot" tt="none" size="lg" fw={600}>
            {text}
          </Badge>
          <VisuallyHidden>What does this mean?</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">{children}</Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Instead of a chip whose answer is missing. */
const Unknown = ({ text, of }: { text: string; of: readonly UseQueryResult[] }) => (
  <Chip text={text} color="orange">
    <Text size="sm">The console could not read this from the service. What the service does is the same.</Text>
    <div>
      <Button size="compact-sm" variant="default" onClick={() => of.forEach((one) => void one.refetch())}>
        Try again
      </Button>
    </div>
  </Chip>
)

const isMissing = ({ data, error }: UseQueryResult) => data === undefined && error !== null

/** The role, and which gates are closed, with what that means; on every page. Outside a workspace, those of the platform. */
export function GateChips({ me, workspace }: { me: IdentityResponse; workspace: string | undefined }) {
  const health = useHealth()
  const workspaces = useWorkspaces()
  const { closed, read } = useClosedGates(me, workspace)
  const here = workspaces.data?.workspaces.find((one) => `${one.organization}/${one.workspace}` === workspace)
  // Until the workspaces are read, a user with one may have a role in it.
  const isOutside = workspace === undefined || (workspaces.data !== undefined && !here)
  const isGateOpen = health.data?.production_sending_enabled
  const isOn = isGateOpen === true && here?.production_sending_enabled === true
  const missing = (isOutside ? [health] : [health, workspaces]).filter(isMissing)
  return (
    <>
      {here && (
        <Chip text={here.role.replace('_', ' ')} color="var(--mantine-color-dimmed)">
          <Text size="sm">Your role in this workspace. It decides what you may do.</Text>
        </Chip>
      )}
      {!isOutside && isMissing(workspaces) && <Unknown text="Role unknown" of={missing} />}
      {isOutside && me.user.platform_role && (
        <Chip text={`platform ${me.user.platform_role}`} color="var(--mantine-color-dimmed)">
          <Text size="sm">Your role on the platform. It decides what you may do for every workspace.</Text>
        </Chip>
      )}
      {missing.length > 0 && (!isOutside || administersPlatform(me)) && (
        <Unknown text={isOutside ? 'Gate unknown' : 'Sending unknown'} of={missing} />
      )}
      {here && isMissing(read) && <Unknown text="Other gates unknown" of={[read]} />}
      {isGateOpen !== undefined && isOutside && administersPlatform(me) && (
        <Chip color={isGateOpen ? 'green' : 'orange'} text={isGateOpen ? 'Gate open' : 'Gate closed'}>
          <Text size="sm">
            {isGateOpen
              ? 'The platform gate for production sending is open. A workspace sends when an owner of it has activated sending.'
              : 'The platform gate for production sending is closed. No workspace sends.'}
          </Text>
          <Text size="sm">
            <PageLink to="/platform/gates">Open or close gates</PageLink>
          </Text>
        </Chip>
      )}
      {isGateOpen !== undefined && here && (
        <Chip
          color={isOn ? 'green' : 'orange'}
          text={
            <>
              {isOn ? 'Sending on' : 'Sending off'}
              {closed.length > 0 && <Further count={closed.length} />}
            </>
          }
        >
          <Text size="sm">
            {!isGateOpen
              ? 'The platform gate for production sending is closed. Runs wait until a platform owner opens it. Test sends have their own gate.'
              : here.production_sending_enabled
                ? 'The platform gate is open and this workspace may send.'
                : 'The platform gate is open, but sending is off in this workspace. An owner of the workspace activates it.'}
          </Text>
          {closed.map((name) => (
            <Text key={name} size="sm">
              <strong>{gatesInWords[name].title}: closed.</strong> {gatesInWords[name].closed}
            </Text>
          ))}
          {administersPlatform(me) && (
            <Text size="sm">
              <PageLink to="/platform/gates">Open or close gates</PageLink>
            </Text>
          )}
        </Chip>
      )}
    </>
  )
}

/** The number of closed gates besides the first; a narrow window has only room for the number. */
const Further = ({ count }: { count: number }) => (
  <>
    <Text span inherit visibleFrom="sm">
      , {counted(count, 'gate')} closed
    </Text>
    <Text span inherit hiddenFrom="sm">
      {' '}
      +{count}
    </Text>
  </>
)
