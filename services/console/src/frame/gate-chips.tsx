import type { IdentityResponse } from '@lettergate/client'
import { Badge, Button, Popover, Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { isMissing } from '../parts/failed-reads.tsx'
import { gatesInWords } from '../parts/gates-in-words.ts'
import { PageLink } from '../parts/link.tsx'
import { counted } from '../parts/words.ts'
import { useHealth } from '../session/use-health.ts'
import { administersPlatform } from '../session/use-me.ts'
import { useWorkspaces } from '../session/use-workspaces.ts'
import { useClosedGates } from './use-closed-gates.ts'

interface ChipProps {
  text: ReactNode
  color: string
  children: ReactNode
  /** in a narrow window this text is shortened first, and the others only after it */
  isShortened?: boolean
  /** the reads that failed, if the answer of the chip is missing: it says so instead */
  unread?: readonly UseQueryResult[]
}

/** A chip that explains itself. The focus stays on it while it reads again, and goes to its neighbour if it disappears then. */
function Chip({ text, color, children, isShortened = false, unread }: ChipProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const chip = button.current
    return () => {
      if (chip && chip === document.activeElement) neighbourOf(chip)?.focus()
    }
  }, [])
  return (
    <Popover width={280} withArrow position="bottom-end" trapFocus returnFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <UnstyledButton
          ref={button}
          miw={0}
          style={{ flexShrink: isShortened ? 1000 : 0 }}
          onClick={() => setOpen(!isOpen)}
        >
          <Badge color={color} variant="dot" tt="none" size="lg" fw={600}>
            {text}
          </Badge>
          <VisuallyHidden>What does this mean?</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {children}
          {unread && (
            <div>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  button.current?.focus()
                  setOpen(false)
                  unread.forEach((one) => void one.refetch())
                }}
              >
                Try again
              </Button>
            </div>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const neighbourOf = (chip: HTMLElement) =>
  [chip.nextElementSibling, chip.previousElementSibling].find((one) => one instanceof HTMLButtonElement)

/** What a chip says whose answer is missing. */
const unknown = (text: string, unread: readonly UseQueryResult[]): ChipProps => ({
  text,
  color: 'orange',
  children: <Text size="sm">The console could not read this from the service. What the service does is the same.</Text>,
  unread,
})

/** The role, and which gates are closed, with what that means; on every page. Outside a workspace, those of the platform. */
export function GateChips({ me, workspace }: { me: IdentityResponse; workspace: string | undefined }) {
  const health = useHealth()
  const workspaces = useWorkspaces()
  const { closed, read } = useClosedGates(me, workspace)
  // After a failure, another chip says so.
  const areOthersUnread = read.data === undefined && !isMissing(read)
  const here = workspaces.data?.workspaces.find((one) => `${one.organization}/${one.workspace}` === workspace)
  // Until the workspaces are read, a user with one may have a role in it.
  const isOutside = workspace === undefined || (workspaces.data !== undefined && !here)
  const isGateOpen = health.data?.production_sending_enabled
  const missing = (isOutside ? [health] : [health, workspaces]).filter(isMissing)
  const unknownRole = !isOutside && isMissing(workspaces) && unknown('Role unknown', missing)
  const role = here ? roleOf(here.role) : unknownRole
  const mayKnowSending = !isOutside || administersPlatform(me)
  const unknownSending = missing.length > 0 && unknown(isOutside ? 'Gate unknown' : 'Sending unknown', missing)
  const known = isGateOpen !== undefined && (here ? sending(isGateOpen, here) : isOutside && gate(isGateOpen))
  const sendingOrUnknown = mayKnowSending && (known || unknownSending)
  // What is known takes the place of what was unknown in the same chip, which keeps the focus.
  return (
    <>
      {role && <Chip {...role} />}
      {isOutside && me.user.platform_role && (
        <Chip text={`platform ${me.user.platform_role}`} color="var(--mantine-color-dimmed)" isShortened>
          <Text size="sm">Your role on the platform. It decides what you may do for every workspace.</Text>
        </Chip>
      )}
      {here && isMissing(read) && <Chip {...unknown('Other gates unknown', [read])} />}
      {sendingOrUnknown && <Chip {...sendingOrUnknown} />}
    </>
  )

  function gate(isOpen: boolean): ChipProps {
    return {
      color: isOpen ? 'green' : 'orange',
      text: isOpen ? 'Gate open' : 'Gate closed',
      children: (
        <>
          <Text size="sm">
            {isOpen
              ? 'The platform gate for production sending is open. A workspace sends when an owner of it has activated sending.'
              : 'The platform gate for production sending is closed. No workspace sends.'}
          </Text>
          <Text size="sm">
            <PageLink to="/platform/gates">Open or close gates</PageLink>
          </Text>
        </>
      ),
    }
  }

  function sending(
    isOpen: boolean,
    { production_sending_enabled: isActivated }: { production_sending_enabled: boolean },
  ) {
    const isOn = isOpen && isActivated
    return {
      color: isOn ? 'green' : 'orange',
      text: (
        <>
          {isOn ? 'Sending on' : 'Sending off'}
          {areOthersUnread && ' …'}
          {closed.length > 0 && <Further count={closed.length} />}
        </>
      ),
      children: (
        <>
          <Text size="sm">
            {!isOpen
              ? 'The platform gate for production sending is closed. Runs wait until a platform owner opens it. Test sends have their own gate.'
              : isActivated
                ? 'The platform gate is open and this workspace may send.'
                : 'The platform gate is open, but sending is off in this workspace. An owner of the workspace activates it.'}
          </Text>
          {areOthersUnread && <Text size="sm">The other gates are not read yet. One of them may be closed.</Text>}
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
        </>
      ),
    }
  }
}

const roleOf = (role: string): ChipProps => ({
  text: role.replace('_', ' '),
  color: 'var(--mantine-color-dimmed)',
  children: <Text size="sm">Your role in this workspace. It decides what you may do.</Text>,
})

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
