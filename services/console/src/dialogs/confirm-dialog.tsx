import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { fieldInWords, type FieldLabels } from '../parts/field-in-words.ts'
import { askedFor, asShown } from './as-shown.ts'

/** Asks before a dangerous action. It lists the consequences; with `phrase` the same text must be typed, as it is shown. */
export function ConfirmDialog({
  title,
  consequences,
  phrase,
  act,
  isDangerous = true,
  isFilled = true,
  change,
  labels,
  mayLose = () => true,
  onClose,
  onConfirm,
  children,
}: {
  title: string
  consequences: readonly string[]
  phrase?: string
  /** what the button says */
  act: string
  isDangerous?: boolean
  /** whether the inputs in `children` are filled */
  isFilled?: boolean
  change: { isPending: boolean; error: unknown }
  /** what the inputs in `children` are called, by the names of the API */
  labels?: FieldLabels
  /** asked before the Escape key or the cross closes it: whether the inputs in `children` may be lost */
  mayLose?: () => boolean
  onClose: () => void
  onConfirm: () => void
  children?: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const asked = phrase === undefined ? undefined : askedFor(phrase)
  const isReady = isFilled && (asked === undefined || asShown(typed) === asked)
  return (
    <Modal
      opened
      onClose={() => mayLose() && onClose()}
      title={title}
      centered
      closeOnClickOutside={false} // it would lose what is typed
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) onConfirm()
        }}
      >
        <Stack gap="md">
          {consequences.length > 0 && (
            <List size="sm" spacing={4}>
              {consequences.map((text) => (
                <List.Item key={text}>{text}</List.Item>
              ))}
            </List>
          )}
          {children}
          {asked !== undefined && (
            <TextInput
              label={
                <Text span size="sm">
                  Type{' '}
                  <code>
                    <bdi>{asked}</bdi>
                  </code>{' '}
                  to confirm
                </Text>
              }
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {Boolean(change.error) && (
            <ErrorNotice error={change.error} inWords={(problem) => fieldInWords(problem, labels)} />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={change.isPending}>
              Leave it as it is
            </Button>
            <Button
              type="submit"
              {...(isDangerous ? { color: 'red.8' } : {})}
              disabled={!isReady}
              loading={change.isPending}
            >
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
