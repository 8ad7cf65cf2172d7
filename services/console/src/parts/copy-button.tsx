import { Button, CopyButton as Copying } from '@mantine/core'

/** Copies a text. `of` names it for screen readers. */
export function CopyButton({ value, of }: { value: string; of: string }) {
  return (
    <Copying value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy} aria-label={copied ? `Copied ${of}` : `Copy ${of}`}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </Copying>
  )
}
