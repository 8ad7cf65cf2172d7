import type { IdentityResponse } from '@lettergate/client'
import { Button, Kbd } from '@mantine/core'
import { useHotkeys, useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense, useState, type ComponentType } from 'react'
import { createPortal } from 'react-dom'
import { PartMissing } from '../parts/lazy-part.ts'
import { useTimes } from '../parts/times.tsx'
import { sayFailed } from '../parts/toasts.tsx'

/** A dialog that is loaded at its first use. Without it the page stays as it is, and a toast says so. */
const lazyDialog = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() =>
    load().catch((cause: unknown) => {
      sayFailed('This could not be opened', new PartMissing('', { cause }), { onRetry: () => location.reload() })
      return { default: () => null }
    }),
  )

const Palette = lazyDialog(() => import('./palette.tsx'))
const ShortcutList = lazyDialog(() => import('./shortcut-list.tsx'))
const loadPalette = () => Promise.all([import('@mantine/spotlight'), import('./palette.tsx')])

/** The keys of the page below do nothing while a dialog is open, which must keep the Escape key for itself. */
const unlessInDialog = (act: () => void) => () => {
  if (!document.querySelector('[aria-modal=true]:not(.mantine-Spotlight-content)')) act()
}

const takeFocus = (input: HTMLInputElement | null) => input?.focus()

/** Takes what is typed until the palette is loaded and has the focus: none of it is lost, or is a shortcut. */
function EarlyInput({
  value,
  onType,
  onEnter,
  onCancel,
}: {
  value: string
  onType: (text: string) => void
  onEnter: () => void
  onCancel: () => void
}) {
  return createPortal(
    <div role="dialog" aria-label="Go to" className="early-input">
      <input
        ref={takeFocus}
        aria-label="Go to a page"
        placeholder="Go to a page, or look for a contact"
        value={value}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') onCancel()
          if (key === 'Enter') onEnter()
        }}
      />
    </div>,
    document.body,
  )
}

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
  const [query, setQuery] = useState('')
  const [palette, setPalette] = useState<'closed' | 'loading' | 'open'>('closed')
  const [isEntered, setEntered] = useState(false)
  const [isListUsed, setListUsed] = useState(false)
  if (isListed && !isListUsed) setListUsed(true)
  const cancel = () => {
    setPalette('closed')
    setQuery('')
    // It may have been opened already, without the focus.
    loadPalette().then(
      ([{ closeSpotlight }]) => closeSpotlight(),
      () => undefined,
    )
  }
  const goTo = () => {
    if (palette !== 'closed') return
    setPaletteUsed(true)
    setPalette('loading')
    setEntered(false)
    // If it could not be loaded, the toast of the palette says it.
    loadPalette().then(([{ openSpotlight }]) => openSpotlight(), cancel)
  }
  useHotkeys([['mod+K', unlessInDialog(goTo)]], [])
  useHotkeys(
    hasSingleKeys
      ? [
          ['/', unlessInDialog(() => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus())],
          ['u', toggle],
          ['shift+?', unlessInDialog(open)],
        ]
      : [],
  )
  return (
    <>
      {palette === 'loading' && (
        <EarlyInput value={query} onType={setQuery} onEnter={() => setEntered(true)} onCancel={cancel} />
      )}
      <Button variant="default" size="compact-md" visibleFrom="md" onClick={goTo}>
        Go to <Kbd ml={6}>Ctrl K</Kbd>
      </Button>
      <Suspense fallback={null}>
        {isPaletteUsed && (
          <Palette
            me={me}
            workspace={workspace}
            query={query}
            setQuery={setQuery}
            isEntered={isEntered}
            onOpen={() => {
              setPalette('open')
              setEntered(false)
            }}
            onClose={() => setPalette('closed')}
          />
        )}
        {isListUsed && (
          <ShortcutList isOpen={isListed} close={close} hasSingleKeys={hasSingleKeys} setSingleKeys={setSingleKeys} />
        )}
      </Suspense>
    </>
  )
}
