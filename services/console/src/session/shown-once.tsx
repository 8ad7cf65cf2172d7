import { Alert, Button, Stack, Text } from '@mantine/core'
import { useUnsaved } from '../parts/use-unsaved.ts'
import { Secret } from './secret.tsx'

/** The only showing of a secret. It is in the memory of this page, and nowhere after it is closed. Leaving the page asks. */
export function ShownOnce({
  title,
  about,
  value,
  of,
  onClose,
}: {
  title: string
  about: string
  value: string
  /** names the secret for the copy button */
  of: string
  onClose: () => void
}) {
  useUnsaved(true, 'This page shows a secret that is shown only this time.')
  return (
    <Alert color="orange" title={title} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{about}</Text>
        <Secret value={value} of={of} />
        <Button size="compact-sm" variant="default" onClick={onClose}>
          I have stored it
        </Button>
      </Stack>
    </Alert>
  )
}
