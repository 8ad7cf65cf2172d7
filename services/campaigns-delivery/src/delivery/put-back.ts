import { columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { endMessages, MessageFact } from '../messages/message-fact.entity.ts'
import { HandOff } from './hand-off.entity.ts'
import type { ClaimedHandOff } from './hand-off.ts'
import { releaseIntervals } from './interval-claim.entity.ts'
import type { End, HandOffOrigins, PutBack } from './origin.ts'

/**
 * Makes the recipients of a hand-off that did not happen pending again, except those who were sent to according to provider
 * events. If the run is over, or the origin does not retry, each recipient ends with the reasons of the origin. Returns false if
 * the hand-off is not stored, or has a result.
 */
export async function putBack(
  em: Em,
  origins: HandOffOrigins,
  handOff: ClaimedHandOff,
  back: PutBack,
): Promise<boolean> {
  const { workspaceId, id, kind, originId } = handOff
  const { numUpdatedRows: changed } = await kyselyOf(em, HandOff)
    .updateTable('hand_offs')
    .set({ state: 'put_back', reason: back.reason, settled_at: sql`clock_timestamp()`, next_lookup_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', 'in', ['claimed', 'unknown'])
    .executeTakeFirst()
  if (changed === 0n) return false
  await releaseIntervals(em, handOff)
  const origin = origins[kind]
  const over = await origin.endOf(em, handOff, back.reason)
  if (over) {
    await endUnproven(em, handOff, over)
    await origin.settled(em, workspaceId, originId)
    return true
  }
  await origin.pendingAgain(em, handOff, back)
  return true
}

const selectProven = statement('select-proven-messages', columns(MessageFact, 'message_id'))

async function endUnproven(
  em: Em,
  { workspaceId, originId, messages }: ClaimedHandOff,
  { end, reasons }: End,
): Promise<void> {
  const proven = await selectProven.rows(
    em,
    sql`select distinct message_id from message_facts
         where workspace_id = ${workspaceId} and origin_id = ${originId} and message_id = any(${messages.map(({ id }) => id)}::uuid[])`,
  )
  const isProven = new Set(proven.map(({ message_id }) => message_id))
  const ends = messages.filter(({ id }) => !isProven.has(id)).map(({ id }) => ({ id, end, reasons }))
  await endMessages(em, { workspaceId, originId }, ends)
}
