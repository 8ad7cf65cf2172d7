import { Box, CloseButton, Group, Paper, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { PageLink } from './link.tsx'

interface Toast {
  text: string
  /** the page of what was made */
  to?: string | undefined
  /** of something that did not work */
  error?: unknown
  options?: FailureOptions
}

interface FailureOptions {
  onRetry?: () => void
  /** says a problem of a field as the page would */
  inWords?: (problem: string) => string
}

let toasts: readonly Toast[] = []
const listeners = new Set<() => void>()
const set = (next: readonly Toast[]) => {
  toasts = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const without = (text: string) => toasts.filter((toast) => toast.text !== text)

const shownMs = 6_000

/** Says for some seconds that something was done; with the page of what was made, until the user closes it. */
export function sayDone(text: string, to?: string): void {
  const toast = { text, to }
  set([...without(text), toast])
  if (to === undefined) setTimeout(() => set(toasts.filter((one) => one !== toast)), shownMs)
}

/** Says that something did not work, until the user closes it or `takeBack` is called with the same text. */
export const sayFailed = (text: string, error: unknown, options: FailureOptions = {}): void =>
  set([...without(text), { text, error, options }])

/** Removes what was said, because it holds no longer. */
export const takeBack = (text: string): void => {
  if (toasts.some((toast) => toast.text === text)) set(without(text))
}

/** Removes all that was said, because another user reads now. */
export const takeBackAll = (): void => set([])

/** Short messages in a corner, above every dialog. Screen readers read them when they appear. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <Box className="toasts" role="status">
      {shown.map((toast) => (
        <Paper key={toast.text} withBorder shadow="md" p="sm">
          <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
            <Text size="sm" fw={600}>
              {toast.text}
            </Text>
            <CloseButton size="sm" aria-label="Close this message" onClick={() => takeBack(toast.text)} />
          </Group>
          {toast.to !== undefined && (
            <Text size="sm" onClick={() => takeBack(toast.text)}>
              <PageLink to={toast.to}>Open the page</PageLink>
            </Text>
          )}
          {toast.error !== undefined && <ErrorNotice error={toast.error} {...toast.options} />}
        </Paper>
      ))}
    </Box>
  )
}
