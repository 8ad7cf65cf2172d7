import { Alert, Button, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useRouter } from 'wouter'
import { sayDone } from '../parts/toasts.tsx'
import { useUnsaved } from '../parts/use-unsaved.ts'
import { Secret } from './secret.tsx'

/**
 * What the page shows once, such as a new secret. If the user left the page before its answer, nobody sees it: `lost` says
 * this, with a link to the page where another one is made; default: the page that was left.
 */
export function useShownOnce<Shown>(
  lost: (shown: Shown) => { text: string; at?: string },
): [shown: Shown | null, show: (shown: Shown | null) => void] {
  const [shown, setShown] = useState<Shown | null>(null)
  const { base } = useRouter()
  const [path] = useLocation()
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = true
    return () => void (isHere.current = false)
  }, [])
  const show = (next: Shown | null) => {
    if (isHere.current || next === null) return setShown(next)
    const { text, at = path } = lost(next)
    sayDone(text, `~${base}${at}`)
  }
  return [shown, show]
}

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
