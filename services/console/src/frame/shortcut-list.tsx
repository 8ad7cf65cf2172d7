import { Kbd, Modal, Switch, Table } from '@mantine/core'

const shortcuts = [
  [['Ctrl or ⌘', 'K'], 'Go to a page, a workspace or a contact'],
  [['/'], 'Filter the list of the page'],
  [['u'], 'Show times in UTC, or in your zone again'],
  [['?'], 'Show these shortcuts'],
  [['Esc'], 'Close what is open'],
] as const

/** The shortcuts of every page, and the switch for those of a single key. */
export default function ShortcutList({
  isOpen,
  close,
  hasSingleKeys,
  setSingleKeys,
}: {
  isOpen: boolean
  close: () => void
  hasSingleKeys: boolean
  setSingleKeys: (has: boolean) => void
}) {
  return (
    <Modal opened={isOpen} onClose={close} title="Shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
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
  )
}
