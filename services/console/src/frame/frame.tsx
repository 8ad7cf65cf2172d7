import type { IdentityResponse } from '@lettergate/client'
import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Meanings } from '../parts/meanings.tsx'
import { TimesProvider } from '../parts/times.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { useSessionCheck } from '../session/use-me.ts'
import { GateChips } from './gate-chips.tsx'
import { useKeptFocus } from './kept-focus.ts'
import { keepWorkspace, lastWorkspace, takeReturnAddress } from './last-workspace.ts'
import { Navigation } from './navigation.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { UserMenu } from './user-menu.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

/** The frame of every page: workspace, gates, user and navigation. */
export function Frame({ me, children }: { me: IdentityResponse; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const [isListed, list] = useDisclosure(false)
  const [path, go] = useLocation()
  const current = /^\/w\/([^/]+\/[^/]+)/.exec(path)?.[1]
  const workspace = current ?? lastWorkspace(me.workspaces)

  useSessionCheck(path)
  useKeptFocus()
  useEffect(() => {
    const kept = takeReturnAddress()
    if (kept) go(kept.replace(/^\/console/, ''), { replace: true })
  }, [go])
  useEffect(() => {
    if (current) keepWorkspace(current)
    close()
  }, [current, path, close])

  return (
    <TimesProvider>
      <AppShell
        header={{ height: { base: 96, sm: 56 } }}
        navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="md"
      >
        <AppShell.Header>
          <a className="skip" href="#content">
            Skip to the content
          </a>
          <Group h="100%" px="md" justify="space-between" gap="xs" wrap="wrap" align="center">
            <Group gap="xs" wrap="nowrap" flex="1 1 12rem">
              <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
              <WorkspaceSwitcher me={me} workspace={workspace} />
            </Group>
            <Group gap="xs" wrap="nowrap">
              <Shortcuts me={me} workspace={workspace} isListed={isListed} list={list} />
              <GateChips me={me} workspace={workspace} />
              <UserMenu me={me} listShortcuts={list.open} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label="Pages">
          <Navigation me={me} workspace={workspace} path={path} />
        </AppShell.Navbar>
        <AppShell.Main id="content">
          {children}
          <Meanings page={path} />
        </AppShell.Main>
        <Toasts />
      </AppShell>
    </TimesProvider>
  )
}
