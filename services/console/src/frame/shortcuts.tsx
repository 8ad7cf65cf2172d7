import type { IdentityResponse } from '@lettergate/client'
import { Button, Kbd, Modal, Table } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'

const Palette = lazy(() => import('./palette.tsx'))
const openPalette = async () => (await import('@mantine/spotlight')).openSpotlight()

const shortcuts = [
  [['Ctrl or ⌘', 'K'], 'Go to a page, a workspace or a contact'],
  [['/'], 'Filter the list of the page'],
  [['?'], 'Show these shortcuts'],
  [['Esc'], 'Close what is open'],
] as const

/** The shortcuts of every page: the palette, the first filter, and the list of shortcuts. */
export function Shortcuts({ me, workspace }: { me: IdentityResponse; workspace: string | undefined }) {
  const [isListed, { open, close }] = useDisclosure(false)
  // The palette is loaded at its first use.
  const [isUsed, use] = useState(false)
  const goTo = () => {
    use(true)
    void openPalette()
  }
  useHotkeys([['mod+K', goTo]], [])
  useHotkeys([
    ['/', () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus()],
    ['shift+?', open],
  ])
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
      </Modal>
    </>
  )
}
