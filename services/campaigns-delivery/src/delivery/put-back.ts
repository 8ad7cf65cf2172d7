import { execute, row, rows, sql, type Em } from '@lettergate/database'
import { releaseIntervals } from './interval-claim.entity.ts'
import { endMessages, type MessageEnd } from '../messages/message-fact.entity.ts'
import { reconcileRehearsals } from '../testing/reconcile-rehearsals.ts'
import type { HandOff } from './hand-off.ts'

/** How a message ends that waits in a run which is over. */
interface End {
  end: MessageEnd
  reasons: string[]
}

/**
 * The recipients of a hand-off that provably never happened wait again; those that turn out to have been sent to stay out. In a
 * run that is over nobody waits: each ends with the reasons. So does a test send, which is tried once.
 */
export async function putBack(
  em: Em,
  handOff: HandOff,
  back: { reason: string; dueAt: Date | null; isSingles?: boolean },
): Promise<void> {
  const { workspaceId, id, kind, originId, batch } = handOff
  const changed = await execute(
    em,
    sql`update hand_offs set state = 'put_back', reason = ${back.reason}, settled_at = clock_timestamp(), next_lookup_at = null
         where workspace_id = ${workspaceId} and id = ${id} and state in ('claimed', 'unknown')`,
  )
  if (changed === 0) return
  await releaseIntervals(em, handOff)
  const over =
    kind === 'run' ? await endOf(em, handOff, back.reason) : { end: 'failed' as const, reasons: [back.reason] }
  if (over) {
    await endUnproven(em, handOff, over)
    if (kind === 'test_send') await reconcileRehearsals(em, workspaceId, [originId])
    return
  }
  await execute(
    em,
    sql`update delivery_batches set done_at = null, published_at = null, due_at = coalesce(${back.dueAt}, clock_timestamp()), is_singles = is_singles or ${back.isSingles ?? false}
         where workspace_id = ${workspaceId} and run_id = ${originId} and batch = ${batch}`,
  )
}

/** Undefined while the run goes on; it cannot end before this transaction does. */
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

async function endUnproven(em: Em, { workspaceId, originId, messages }: HandOff, { end, reasons }: End): Promise<void> {
  const proven = await rows<{ message_id: string }>(
    em,
    sql`select distinct message_id from message_facts
         where workspace_id = ${workspaceId} and origin_id = ${originId} and message_id = any(${messages.map(({ id }) => id)}::uuid[])`,
  )
  const isProven = new Set(proven.map(({ message_id }) => message_id))
  const ends = messages.filter(({ id }) => !isProven.has(id)).map(({ id }) => ({ id, end, reasons }))
  await endMessages(em, { workspaceId, originId }, ends)
}
