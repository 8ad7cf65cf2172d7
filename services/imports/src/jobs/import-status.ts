/** The states of an import. Only the first eight can still change. */
export const importStatuses = [
  'uploaded',
  'dry_run_queued',
  'dry_run_running',
  'ready_for_review',
  'apply_queued',
  'applying',
  'failed',
  'completed',
  'cancelled',
  'expired',
] as const
export type ImportStatus = (typeof importStatuses)[number]

/** An import that has ended never changes again, and has no payload. */
export const isEnded = (status: ImportStatus): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'expired'

/** What operators, workers and the clock do to an import. `take` also takes over the work of a lost worker. */
export type ImportAction =
  'map' | 'approve' | 'cancel' | 'retry_dry_run' | 'retry_apply' | 'expire' | 'take' | 'report' | 'complete' | 'fail'

const toEachOpen = (end: 'cancelled' | 'expired'): Partial<Record<ImportStatus, ImportStatus>> =>
  Object.fromEntries(importStatuses.filter((status) => !isEnded(status)).map((status) => [status, end]))

/** A mapping can change until it is approved; a failed import is mapped again only when it was never approved. */
const next: Record<ImportAction, Partial<Record<ImportStatus, ImportStatus>>> = {
  map: {
    uploaded: 'dry_run_queued',
    dry_run_queued: 'dry_run_queued',
    dry_run_running: 'dry_run_queued',
    ready_for_review: 'dry_run_queued',
    failed: 'dry_run_queued',
  },
  take: {
    dry_run_queued: 'dry_run_running',
    dry_run_running: 'dry_run_running',
    apply_queued: 'applying',
    applying: 'applying',
  },
  report: { dry_run_running: 'ready_for_review' },
  approve: { ready_for_review: 'apply_queued' },
  complete: { applying: 'completed' },
  fail: { dry_run_running: 'failed', applying: 'failed' },
  retry_dry_run: { failed: 'dry_run_queued' },
  retry_apply: { failed: 'apply_queued' },
  cancel: toEachOpen('cancelled'),
  expire: toEachOpen('expired'),
}

/** The state after an action; undefined if the action is not possible in this state. */
export const statusAfter = (status: ImportStatus, action: ImportAction): ImportStatus | undefined =>
  next[action][status]

/** The states in which an action is possible. */
export const statusesFor = (action: ImportAction): ImportStatus[] => Object.keys(next[action]) as ImportStatus[]
