import { Button, CopyButton as Copying, Group } from '@mantine/core'

/** Copies a text. `of` names it for screen readers. */
export function CopyButton({ value, of }: { value: string; of: string }) {
  return (
    <Copying value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          flex="none"
          size="compact-xs"
          variant="default"
          onClick={copy}
          aria-label={copied ? `Copied ${of}` : `Copy ${of}`}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </Copying>
  )
}

/** An id or a checksum, with a button that copies it. `shown` is its beginning, if it is long. */
export const Copied = ({ value, of, shown = value }: { value: string; of: string; shown?: string }) => (
  <Group gap={6}>
    <code>{shown}</code>
    <CopyButton value={value} of={of} />
  </Group>
)
