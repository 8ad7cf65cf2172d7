import type { IdentityResponse } from '@lettergate/client'
import { Button, Kbd, Modal, Switch, Table } from '@mantine/core'
import { useHotkeys, useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { useTimes } from '../parts/times.tsx'

const Palette = lazy(() => import('./palette.tsx'))
const openPalette = async () => (await import('@mantine/spotlight')).openSpotlight()

const shortcuts = [
  [['Ctrl or ⌘', 'K'], 'Go to a page, a workspace or a contact'],
  [['/'], 'Filter the list of the page'],
  [['u'], 'Show times in UTC, or in your zone again'],
  [['?'], 'Show these shortcuts'],
  [['Esc'], 'Close what is open'],
] as const

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
  // The palette is loaded at its first use.
  const [isUsed, use] = useState(false)
  const goTo = () => {
    use(true)
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
      {isUsed && (
        <Suspense fallback={null}>
          <Palette me={me} workspace={workspace} />
        </Suspense>
      )}
      <Modal opened={isListed} onClose={close} title="Shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Table>
          <Table.Tbody>
            {shortcuts.map(([keys, what]) => (
              <Table.Tr key={what}>
                <Table.Td>
                  {keys.map((key) => (
                    <Kbd key={key} mr={4}>
                      {key}
                    </Kbd>
                  ))}
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          mt="md"
          label="Shortcuts of a single key"
          checked={hasSingleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Modal>
    </>
  )
}
