import { MessageAcceptedSchema } from '@lettergate/contracts/events/v1/events'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { column, columns, kyselyOf, prepared, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { alertRefusal } from '../connections/alert-refusal.ts'
import { lookupMinutes } from '../connections/backoff.ts'
import {
  startCooldown,
  endConnectionCooldown,
  endCooldown,
  type SendingRoute,
} from '../connections/connection-hold.entity.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import { isProven } from '../messages/message-fact.entity.ts'
import { HandOff, type HandOffKind, type HandOffState } from './hand-off.entity.ts'
import type { ClaimedHandOff } from './hand-off.ts'
import { releaseIntervals } from './interval-claim.entity.ts'
import type { HandOffOrigins } from './origin.ts'
import { putBack } from './put-back.ts'
import { endUnknownAlerts } from './unknown-alert.ts'

/** A claimed hand-off and the route that it uses. */
export interface HandOffCall {
  handOff: ClaimedHandOff
  route: SendingRoute
  /** a trial call after a cooldown */
  isTrial: boolean
}

/** The new state of the recipients of a hand-off. If the origin does not retry, `pending` means failed. */
export type SettledState = 'accepted' | 'pending' | 'failed' | 'unknown'

/**
 * Stores the result of a call. Also settles a hand-off that the sweeper marked unknown in the meantime, because the answer
 * is more reliable. Returns the new state of the recipients.
 */
export async function settle(
  em: Em,
  origins: HandOffOrigins,
  call: HandOffCall,
  result: HandOffResult,
): Promise<SettledState> {
  const { workspaceId, kind, originId } = call.handOff
  if (result.kind === 'accepted') {
    const { hasOpenBatches } = await accept(em, call, result.providerMessageId)
    if (hasOpenBatches) return 'accepted'
  }
  const state = result.kind === 'accepted' ? 'accepted' : await settleAs(em, origins, call, result)
  await origins[kind].settled(em, workspaceId, originId)
  return state
}

function settleAs(
  em: Em,
  origins: HandOffOrigins,
  call: HandOffCall,
  result: Exclude<HandOffResult, { kind: 'accepted' }>,
): Promise<SettledState> {
  switch (result.kind) {
    case 'not_accepted':
      return notAccepted(em, origins, call, result)
    case 'refused':
      return refused(em, origins, call, result.reason)
    case 'unknown':
      return unknown(em, call, result.reason)
  }
}

const acceptOne = statement('accept-hand-off', {
  settled_at: column.timestamptz(),
  was: column.text<HandOffState>(),
  has_open_batches: column.boolean(),
})

/** Returns whether the run has open batches, so that it cannot be finished. */
async function accept(
  em: Em,
  { handOff, route, isTrial }: HandOffCall,
  providerMessageId: string,
): Promise<{ hasOpenBatches: boolean }> {
  const { workspaceId, id, originId } = handOff
  const settled = await acceptOne.row(
    em,
    prepared(sql`with before as (select state from hand_offs where workspace_id = ${workspaceId} and id = ${id} for update)
        update hand_offs h set state = 'accepted', provider_message_id = ${providerMessageId}, reason = null, settled_at = clock_timestamp(), next_lookup_at = null
          from before where h.workspace_id = ${workspaceId} and h.id = ${id} returning h.settled_at, before.state as was,
            exists (select from delivery_batches b where b.run_id = ${originId} and b.done_at is null) as has_open_batches`),
  )
  // If events settled it before, they have announced each of its messages already.
  if (settled && settled.was !== 'accepted') await announceHandOff(em, handOff, new Date(settled.settled_at))
  if (isTrial) await endCooldown(em, route)
  return { hasOpenBatches: settled?.has_open_batches ?? false }
}

/**
 * Publishes the ids of the messages whose audience has a minimum interval. Other messages are not announced, because no
 * service needs them.
 */
const announceHandOff = (em: Em, { kind, originId, messages }: ClaimedHandOff, at: Date): Promise<void> =>
  announceAccepted(
    em,
    { kind, originId },
    {
      at,
      recipients: messages.flatMap(({ id, contactId, audienceId, minimumIntervalSeconds }) =>
        contactId === null || audienceId === null || minimumIntervalSeconds === 0
          ? []
          : [{ messageId: id, contactId, audienceId }],
      ),
    },
  )

/** How events name the run or the automation of a message. */
export function originOf(kind: HandOffKind, originId: string): { automationId?: string; runId?: string } {
  if (kind === 'automation') return { automationId: originId }
  return kind === 'run' ? { runId: originId } : {}
}

/** Publishes that these messages of a run or an automation were accepted. */
export async function announceAccepted(
  em: Em,
  { kind, originId }: Pick<ClaimedHandOff, 'kind' | 'originId'>,
  { recipients, at }: { recipients: readonly { messageId: string; contactId: string; audienceId: string }[]; at: Date },
): Promise<void> {
  if (recipients.length === 0) return
  await publish(em, MessageAcceptedSchema, {
    ...originOf(kind, originId),
    acceptedAt: timestampFromDate(at),
    recipients: recipients.map(({ messageId, contactId, audienceId }) => ({ messageId, contactId, audienceId })),
  })
}

async function notAccepted(
  em: Em,
  origins: HandOffOrigins,
  call: HandOffCall,
  result: Extract<HandOffResult, { kind: 'not_accepted' }>,
): Promise<'pending' | 'failed'> {
  const { route, handOff, isTrial } = call
  const { cause: reason, retryAfterMs } = result
  const { until, isNew } = await startCooldown(em, route, {
    reason,
    retryAfterMs,
    claimedAt: await claimedAt(em, handOff),
  })
  if (isTrial && reason === 'domain_refused') await endConnectionCooldown(em, route)
  if (isNew) await alertRefusal(em, route, reason, { [`${handOff.kind}_id`]: handOff.originId })
  if (!origins[handOff.kind].isTriedAgain) return fail(em, handOff, result.reason)
  await putBack(em, origins, handOff, { reason: result.reason, dueAt: until })
  return 'pending'
}

/** As text with microseconds: it is compared with other times of the database. */
async function claimedAt(em: Em, { workspaceId, id }: ClaimedHandOff): Promise<string> {
  const known = await kyselyOf(em, HandOff)
    .selectFrom('hand_offs')
    .select('claimed_at')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return known.claimed_at
}

/** A refused batch is handed over again one recipient at a time, so that one invalid recipient does not fail the others. */
async function refused(
  em: Em,
  origins: HandOffOrigins,
  { handOff, route, isTrial }: HandOffCall,
  reason: string,
): Promise<'failed' | 'pending'> {
  if (isTrial) await endCooldown(em, route)
  if (handOff.messages.length > 1) {
    await putBack(em, origins, handOff, { reason, dueAt: null, isSingles: true })
    return 'pending'
  }
  await fail(em, handOff, reason)
  await origins[handOff.kind].refused?.(em, handOff)
  return 'failed'
}

/** Marks the hand-off and its recipients as failed with this reason. They may get another message within the interval. */
async function fail(em: Em, handOff: ClaimedHandOff, reason: string): Promise<'failed'> {
  const { workspaceId, id } = handOff
  const { numUpdatedRows: changed } = await kyselyOf(em, HandOff)
    .updateTable('hand_offs')
    .set({ state: 'failed', reason, settled_at: sql`clock_timestamp()`, next_lookup_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('state', 'in', ['claimed', 'unknown'])
    .executeTakeFirst()
  if (changed > 0n) await releaseIntervals(em, handOff)
  return 'failed'
}

async function unknown(em: Em, { handOff, route }: HandOffCall, reason: string): Promise<'unknown'> {
  const { workspaceId, id } = handOff
  await markUnknown(em, workspaceId, id, reason)
  await startCooldown(em, route, { reason: 'ambiguous', retryAfterMs: 0, claimedAt: await claimedAt(em, handOff) })
  return 'unknown'
}

/**
 * Marks a call without a known result as unknown and plans the first lookup at the provider one minute after its intent.
 * Returns whether it was still claimed.
 */
export async function markUnknown(em: Em, workspaceId: string, handOffId: string, reason: string): Promise<boolean> {
  const { numUpdatedRows: changed } = await kyselyOf(em, HandOff)
    .updateTable('hand_offs')
    .set({
      state: 'unknown',
      reason,
      next_lookup_at: sql`claimed_at + ${lookupMinutes[0]}::float8 * interval '1 minute'`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', handOffId)
    .where('state', '=', 'claimed')
    .executeTakeFirst()
  if (changed > 0n) await acceptProven(em, workspaceId, [handOffId])
  return changed > 0n
}

const acceptAllProven = statement('accept-proven-hand-offs', columns(HandOff, 'id', 'lookups'))

/** Accepts hand-offs whose messages are all confirmed by provider events, whatever the call returned. */
export async function acceptProven(em: Em, workspaceId: string, handOffIds: readonly string[]): Promise<void> {
  const accepted = await acceptAllProven.rows(
    em,
    sql`update hand_offs h set state = 'accepted', reason = 'proven_by_events', settled_at = clock_timestamp(), next_lookup_at = null
         where h.workspace_id = ${workspaceId} and h.id = any(${[...handOffIds]}::uuid[]) and h.state in ('claimed', 'unknown')
           and not exists (select from unnest(h.message_ids) as m (id) where not ${isProven(sql`h.origin_id`, sql`m.id`)})
        returning h.id, h.lookups`,
  )
  await endUnknownAlerts(em, accepted)
}
