import type { IdentityResponse } from '@lettergate/client'
import { Button, Kbd } from '@mantine/core'
import { useHotkeys, useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense, useState, type ComponentType } from 'react'
import { PartMissing } from '../parts/lazy-part.ts'
import { useTimes } from '../parts/times.tsx'
import { sayFailed } from '../parts/toasts.tsx'

/** A dialog that is loaded at its first use. Without it the page stays as it is, and a toast says so. */
const lazyDialog = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() =>
    load().catch((cause: unknown) => {
      sayFailed('This could not be opened', new PartMissing('', { cause }), () => location.reload())
      return { default: () => null }
    }),
  )

const Palette = lazyDialog(() => import('./palette.tsx'))
const ShortcutList = lazyDialog(() => import('./shortcut-list.tsx'))
// The palette imports the same: if it could not be loaded, the toast of the palette says it.
const openPalette = () =>
  import('@mantine/spotlight').then(
    ({ openSpotlight }) => openSpotlight(),
    () => undefined,
  )

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
