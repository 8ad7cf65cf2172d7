import { Badge, Popover, Text, UnstyledButton } from '@mantine/core'
import { api } from '../session/clients.ts'
import { useAnswer } from '../session/use-answer.ts'

function Chip({ text, color, about }: { text: string; color: string; about: string }) {
  return (
    <Popover width={280} withArrow position="bottom-end">
      <Popover.Target>
        <UnstyledButton aria-label={`${text}. What does this mean?`}>
          <Badge color={color} variant="dot" tt="none" size="lg" fw={600}>
            {text}
          </Badge>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">{about}</Text>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Which gates are closed, and what that means; on every page. */
export function GateChips({ workspace }: { workspace: string | undefined }) {
  const health = useAnswer(['health'], (options) => api.getHealth({}, options), { everyMs: 15_000 })
  const workspaces = useAnswer(['workspaces'], (options) => api.listWorkspaces({}, options), { everyMs: 15_000 })
  const here = workspaces.data?.workspaces.find((one) => `${one.organization}/${one.workspace}` === workspace)
  const isGateOpen = health.data?.production_sending_enabled
  return (
    <>
      {here && (
        <Chip
          text={here.role.replace('_', ' ')}
          color="gray"
          about="Your role in this workspace. It decides what you may do."
        />
      )}
      {isGateOpen !== undefined && here && (
        <Chip
          text={isGateOpen && here.production_sending_enabled ? 'Sending on' : 'Sending off'}
          color={isGateOpen && here.production_sending_enabled ? 'green' : 'orange'}
          about={
            !isGateOpen
              ? 'The platform gate for production sending is closed. Runs wait until a platform owner opens it. Test sends have their own gate.'
              : here.production_sending_enabled
                ? 'The platform gate is open and this workspace may send.'
                : 'The platform gate is open, but sending is off in this workspace. An owner of the workspace activates it.'
          }
        />
      )}
    </>
  )
}
