import type { IdentityResponse } from '@lettergate/client'
import { Button, Kbd } from '@mantine/core'
import { useHotkeys, useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useTimes } from '../parts/times.tsx'

// Both are loaded at their first use.
const Palette = lazy(() => import('./palette.tsx'))
const ShortcutList = lazy(() => import('./shortcut-list.tsx'))
const openPalette = async () => (await import('@mantine/spotlight')).openSpotlight()

/**
 * The shortcuts of every page, and their list. Those of a single key can be turned off, for people who speak to their
 * browser, or hit keys by mistake (WCAG 2.1.4).
 */
export function Shortcuts({
  me,
  workspace,
  isListed,
  list: { open, close },
}: {
  me: IdentityResponse
  workspace: string | undefined
  isListed: boolean
  list: { open: () => void; close: () => void }
}) {
  const { toggle } = useTimes()
  const [hasSingleKeys, setSingleKeys] = useLocalStorage({
    key: 'lettergate-single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  })
  const [isPaletteUsed, setPaletteUsed] = useState(false)
  const [isListUsed, setListUsed] = useState(false)
  if (isListed && !isListUsed) setListUsed(true)
  const goTo = () => {
    setPaletteUsed(true)
    void openPalette()
  }
  useHotkeys([['mod+K', goTo]], [])
  useHotkeys(
    hasSingleKeys
      ? [
          ['/', () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus()],
          ['u', toggle],
          ['shift+?', open],
        ]
      : [],
  )
  return (
    <>
      <Button variant="default" size="compact-md" visibleFrom="md" onClick={goTo}>
        Go to <Kbd ml={6}>Ctrl K</Kbd>
      </Button>
      <Suspense fallback={null}>
        {isPaletteUsed && <Palette me={me} workspace={workspace} />}
        {isListUsed && (
          <ShortcutList isOpen={isListed} close={close} hasSingleKeys={hasSingleKeys} setSingleKeys={setSingleKeys} />
        )}
      </Suspense>
    </>
  )
}
