import type { IdentityResponse } from '@lettergate/client'
import { Button, Menu, Text } from '@mantine/core'
import { useLocation } from 'wouter'

/** Changes the workspace; the page starts again at its home. */
export function WorkspaceSwitcher({ me, workspace }: { me: IdentityResponse; workspace: string | undefined }) {
  const [, go] = useLocation()
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--mantine-color-text)"
          px="xs"
          aria-label={`${workspace ?? 'Lettergate'}. Change the workspace`}
        >
          <Text fw={700} truncate maw={190}>
            {workspace ?? 'Lettergate'}
          </Text>
          <Text span aria-hidden ml={6}>
            ▾
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your workspaces</Menu.Label>
        {me.workspaces.length === 0 && <Menu.Item disabled>None</Menu.Item>}
        {me.workspaces.map((item) => {
          const name = `${item.organization}/${item.workspace}`
          return (
            <Menu.Item key={name} onClick={() => go(`/w/${name}`)} aria-current={name === workspace || undefined}>
              <Text size="sm" fw={name === workspace ? 700 : 400}>
                {name}
              </Text>
              <Text size="xs" c="dimmed">
                {item.role.replace('_', ' ')}
                {item.is_archived ? ', archived' : ''}
              </Text>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
