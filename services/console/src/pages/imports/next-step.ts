import type { Import } from '@lettergate/client'

const steps: Record<Import['status'], string> = {
  uploaded: 'Say what each column is',
  dry_run_queued: 'Wait for the dry run',
  dry_run_running: 'Wait for the dry run',
  ready_for_review: 'Read the report, then approve it',
  apply_queued: 'Wait until it is applied',
  applying: 'Wait until it is applied',
  completed: 'Done',
  failed: 'Read why, then retry or cancel',
  cancelled: 'Cancelled',
  expired: 'Expired: upload the file again',
}

/** What a person does next with an import. */
export const nextStepOf = (status: Import['status']): string => steps[status]
