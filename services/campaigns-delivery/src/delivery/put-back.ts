import { execute, rows, sql, type Em } from '@lettergate/database'
import { endMessages } from '../messages/message-fact.entity.ts'
import type { HandOff } from './hand-off.ts'
import { releaseIntervals } from './interval-claim.entity.ts'
import type { End, HandOffOrigins } from './origin.ts'

/**
 * Makes the recipients of a hand-off that did not happen pending again, except those who were sent to according to provider
 * events. If the run is over, or the origin does not retry, each recipient ends with the reasons of the origin.
 */
export async function putBack(
  em: Em,
  origins: HandOffOrigins,
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
  const origin = origins[kind]
  const over = await origin.endOf(em, handOff, back.reason)
  if (over) {
    await endUnproven(em, handOff, over)
    await origin.settled(em, workspaceId, originId)
    return
  }
  await execute(
    em,
    sql`update delivery_batches set done_at = null, published_at = null, due_at = coalesce(${back.dueAt}, clock_timestamp()), is_singles = is_singles or ${back.isSingles ?? false}
         where workspace_id = ${workspaceId} and run_id = ${originId} and batch = ${batch}`,
  )
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
