import type { IdentityResponse } from '@lettergate/client'
import { Button, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { Link } from 'wouter'
import { sayFailed } from '../parts/toasts.tsx'
import { useTimes } from '../parts/times.tsx'
import { leaveUnsaved, maySignOut } from '../parts/use-unsaved.ts'
import { signOut } from '../session/clients.ts'
import { meKey, queries } from '../session/queries.ts'

const schemes: Record<MantineColorScheme, string> = { auto: 'As the system', light: 'Light', dark: 'Dark' }

/** The user, how the console looks, its shortcuts, and sign-out. */
export function UserMenu({ me, listShortcuts }: { me: IdentityResponse; listShortcuts: () => void }) {
  const times = useTimes()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const leave = async () => {
    if (!maySignOut()) return
    try {
      await signOut()
    } catch (error) {
      return sayFailed('You are still signed in', error)
    }
    // Nothing of the user stays in memory, neither answers nor what was typed nor a shown secret.
    leaveUnsaved()
    queries.setQueryData(meKey, null)
    location.reload()
  }
  const name = me.user.username ?? me.user.wallet_user_id
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="default" size="compact-md" aria-label={`${name}: colors, profile and sign-out`}>
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Colors</Menu.Label>
        {(Object.keys(schemes) as MantineColorScheme[]).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={scheme === colorScheme ? '✓' : null}
          >
            {schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Label>Times</Menu.Label>
        <Menu.Item onClick={() => times.isUtc && times.toggle()} rightSection={times.isUtc ? null : '✓'}>
          Times in your zone
        </Menu.Item>
        <Menu.Item onClick={() => times.isUtc || times.toggle()} rightSection={times.isUtc ? '✓' : null}>
          Times in UTC
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={listShortcuts}>Shortcuts</Menu.Item>
        <Menu.Item component={Link} href="/profile">
          Profile and sessions
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank">
          API reference
        </Menu.Item>
        <Menu.Item onClick={() => void leave()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
