import { LettergateError, type CallOptions, type Result } from '@lettergate/client'
import { Alert, Button, Group, Text } from '@mantine/core'
import { useRouter } from 'wouter'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { MomentBy } from '../parts/moment.tsx'
import { useAnswer } from './use-answer.ts'

/** Whether a version was refused because another one was saved since it began. */
const isSavedMeanwhile = (error: unknown): boolean =>
  error instanceof LettergateError &&
  ['campaign_changed', 'automation_changed', 'template_changed'].includes(error.failure.reason) &&
  error.failure.status === 409

/** Once, when it appears at the end of a long form. */
const show = (alert: HTMLDivElement | null) => alert?.scrollIntoView({ block: 'center' })

interface Saved {
  version: number
  created_at: string
  by: string
  /** where it is shown */
  page: string
}

/** Why a version was not saved; nothing if it was not refused. `read` answers what is stored, if somebody saved meanwhile. */
export function SaveRefused<Output>({
  of,
  save,
  read,
  savedOf,
  inWords,
  onReload,
  onOverwrite,
}: {
  /** the key of what is edited, for its answer */
  of: readonly unknown[]
  save: { error: unknown; isPending: boolean; submittedAt: number }
  read: (options: CallOptions) => Promise<Result<Output>>
  savedOf: (stored: Output) => Saved | undefined
  /** says a problem as the form would */
  inWords?: (problem: string) => string
  onReload: () => void
  onOverwrite: (version: number) => void
}) {
  const isOther = isSavedMeanwhile(save.error)
  const stored = useAnswer([...of, 'saved-meanwhile', save.submittedAt], read, { enabled: isOther })
  if (!isOther) return Boolean(save.error) && <ErrorNotice error={save.error} inWords={inWords} />
  return (
    <Loaded answer={stored}>
      {(output) => {
        const saved = savedOf(output)
        return (
          saved && (
            <SavedMeanwhile
              saved={saved}
              isSaving={save.isPending}
              onReload={onReload}
              onOverwrite={() => onOverwrite(saved.version)}
            />
          )
        )
      }}
    </Loaded>
  )
}

/** Says who saved another version meanwhile. What was typed stays until the reader reloads; it can be saved over that version. */
function SavedMeanwhile({
  saved: { version, created_at: at, by, page },
  isSaving,
  onReload,
  onOverwrite,
}: {
  saved: Saved
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
