import { row, sql, type Em } from '@lettergate/database'
import { finishRun } from '../runs/finish-run.ts'
import type { HandOff } from './hand-off.ts'
import type { End, HandOffOrigin } from './origin.ts'

/** The batches of a run are handed over until every recipient has a final state. The last one completes the run. */
export const runOrigin: HandOffOrigin = {
  isTriedAgain: true,
  endOf,
  async settled(em, workspaceId, runId) {
    await finishRun(em, workspaceId, runId)
  },
}

/** Undefined while the run continues. The run cannot end before this transaction does. */
async function endOf(em: Em, { workspaceId, originId }: HandOff, reason: string): Promise<End | undefined> {
  const run = await row<{ state: string; failure_reason: string | null }>(
    em,
    sql`select state, failure_reason from campaign_runs where workspace_id = ${workspaceId} and id = ${originId} for share`,
  )
  const { state, failure_reason } = run!
  if (state === 'cancelled' || state === 'unscheduled') return { end: 'skipped', reasons: [`run_${state}`] }
  if (state === 'failed') return { end: 'failed', reasons: [failure_reason ?? 'run_failed'] }
  return state === 'completed' ? { end: 'failed', reasons: [reason, 'run_completed'] } : undefined
}
