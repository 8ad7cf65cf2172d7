import { LettergateError } from '@lettergate/client'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useRouter } from 'wouter'
import { MomentBy } from './moment.tsx'

/** Whether a version was refused because another one was saved since it began. */
export const isSavedMeanwhile = (error: unknown): boolean =>
  error instanceof LettergateError &&
  ['campaign_changed', 'automation_changed', 'template_changed'].includes(error.failure.reason) &&
  error.failure.status === 409

/** Once, when it appears at the end of a long form. */
const show = (alert: HTMLDivElement | null) => alert?.scrollIntoView({ block: 'center' })

/** Says who saved another version meanwhile. What was typed stays until the reader reloads; it can be saved over that version. */
export function SavedMeanwhile({
  saved: { version, created_at: at, by },
  page,
  isSaving,
  onReload,
  onOverwrite,
}: {
  saved: { version: number; created_at: string; by: string }
  page: string
  isSaving: boolean
  onReload: () => void
  onOverwrite: () => void
}) {
  const { base } = useRouter()
  return (
    <Alert
      ref={show}
      color="red"
      role="alert"
      title="Somebody saved another version in the meantime; yours is not saved"
    >
      <Text size="sm">
        Version {version} was saved <MomentBy at={at} by={by} />. What you typed is still here.{' '}
        <a className="link mantine-focus-auto" href={`${base}${page}`} target="_blank">
          Look at version {version} in a new tab
        </a>
        , then reload it here and lose what you typed, or save yours as version {version + 1}. Version {version} stays
        in the list of versions.
      </Text>
      <Group mt="sm" gap="sm">
        <Button size="compact-sm" variant="default" onClick={onReload}>
          Reload, and lose mine
        </Button>
        <Button size="compact-sm" variant="default" loading={isSaving} onClick={onOverwrite}>
          Save mine as version {version + 1}
        </Button>
      </Group>
    </Alert>
  )
}
