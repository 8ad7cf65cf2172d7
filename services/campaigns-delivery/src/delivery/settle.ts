import { MessageAcceptedSchema, RunCompletedSchema } from '@lettergate/contracts/events/v1/events'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { execute, row, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { restLine, trustConnection, trustLine, type Line } from '../db/connection-holds.ts'
import { hasFact } from '../db/run-recipients.ts'
import { campaignStatusFor } from '../domain/delivery/run-states.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import { alertRefusal } from './alert-refusal.ts'
import type { BatchKey, IntendedHandOff } from './intent.ts'

/** What there is to know of a hand-off when its answer came. */
export interface Answered {
  key: BatchKey
  handOff: IntendedHandOff
  line: Line
  /** the call that decides whether its line is open again */
  isTrial: boolean
}

/**
 * Writes down what an answer proved, by compare-and-set on the hand-off: what a sweeper called unknown meanwhile is settled
 * too, since nobody knows better than who asked. Answers the state that the recipients went into.
 */
export async function settle(
  em: Em,
  answered: Answered,
  result: HandOffResult,
): Promise<'accepted' | 'pending' | 'failed' | 'unknown'> {
  const state = await settleAs(em, answered, result)
  await finishRun(em, answered.key.workspaceId, answered.key.runId)
  return state
}

function settleAs(
  em: Em,
  answered: Answered,
  result: HandOffResult,
): Promise<'accepted' | 'pending' | 'failed' | 'unknown'> {
  switch (result.kind) {
    case 'accepted':
      return accept(em, answered, result.providerMessageId)
    case 'not_accepted':
      return notAccepted(em, answered, result)
    case 'refused':
      return refused(em, answered, result.reason)
    case 'unknown':
      return unknown(em, answered, result.reason)
  }
}

async function accept(
  em: Em,
  { key, handOff, line, isTrial }: Answered,
  providerMessageId: string,
): Promise<'accepted'> {
  const { workspaceId } = key
  const settled = await row<{ settled_at: string; was: string }>(
    em,
    sql`with before as (select state from hand_offs where workspace_id = ${workspaceId} and id = ${handOff.id} for update)
        update hand_offs h set state = 'accepted', provider_message_id = ${providerMessageId}, settled_at = clock_timestamp(), next_lookup_at = null
          from before where h.workspace_id = ${workspaceId} and h.id = ${handOff.id} returning h.settled_at, before.state as was`,
  )
  // Settled by events already: they announced every message of it.
  if (settled && settled.was !== 'accepted')
    await announceAccepted(em, key.runId, {
      people: await peopleOf(em, key, handOff),
      at: new Date(settled.settled_at),
    })
  if (isTrial) await trustLine(em, line)
  return 'accepted'
}

interface HandedOver {
  id: string
  contact_id: string
  audience_id: string
}

/** By their batch, whose rows lie together: by their ids each would be looked up, or the whole run read. */
const peopleOf = (em: Em, { workspaceId, runId, batch }: BatchKey, { messageIds }: IntendedHandOff) =>
  rows<HandedOver>(
    em,
    sql`select id, contact_id, audience_id from run_recipients
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and id = any(${messageIds}::uuid[])`,
  )

/** Tells everybody who went out with a hand-off, ids only. */
export const announceAccepted = (
  em: Em,
  runId: string,
  { people, at }: { people: readonly HandedOver[]; at: Date },
): Promise<void> =>
  publish(em, MessageAcceptedSchema, {
    runId,
    acceptedAt: timestampFromDate(at),
    recipients: people.map(({ id, contact_id, audience_id }) => ({
      messageId: id,
      contactId: contact_id,
      audienceId: audience_id,
    })),
  })

async function notAccepted(
  em: Em,
  answered: Answered,
  result: Extract<HandOffResult, { kind: 'not_accepted' }>,
): Promise<'pending'> {
  const { key, line, handOff, isTrial } = answered
  const { cause: reason, retryAfterMs } = result
  const { until, isNew } = await restLine(em, line, { reason, retryAfterMs, claimedAt: await claimedAt(em, answered) })
  if (isTrial && reason === 'domain_refused') await trustConnection(em, line)
  await putBack(em, key, { handOff, reason: result.reason, dueAt: until })
  if (isNew) await alertRefusal(em, line, reason, { run_id: key.runId })
  return 'pending'
}

async function claimedAt(em: Em, { key, handOff }: Answered): Promise<string> {
  const known = await row<{ claimed_at: string }>(
    em,
    sql`select claimed_at from hand_offs where workspace_id = ${key.workspaceId} and id = ${handOff.id}`,
  )
  return known!.claimed_at
}

/** The recipients of a hand-off that provably never happened wait again. Who turned out to have been sent to stays out. */
export async function putBack(
  em: Em,
  key: BatchKey,
  back: { handOff: IntendedHandOff; reason: string; dueAt: Date | null; isSingles?: boolean },
): Promise<void> {
  const { workspaceId, runId, batch } = key
  const changed = await execute(
    em,
    sql`update hand_offs set state = 'put_back', reason = ${back.reason}, settled_at = clock_timestamp(), next_lookup_at = null
         where workspace_id = ${workspaceId} and id = ${back.handOff.id} and state in ('claimed', 'unknown')`,
  )
  if (changed === 0) return
  await execute(
    em,
    sql`update run_recipients r set state = 'pending' where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.id = any(${back.handOff.messageIds}::uuid[])
           and r.hand_off_id = ${back.handOff.id} and r.state = 'claimed' and not (${hasFact})`,
  )
  await execute(
    em,
    sql`update delivery_batches set done_at = null, published_at = null, due_at = coalesce(${back.dueAt}, clock_timestamp()), is_singles = is_singles or ${back.isSingles ?? false}
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch}`,
  )
}

/** One refused person must not cost the others their email: a refused batch is handed over again one by one, then fails alone. */
async function refused(
  em: Em,
  { key, handOff, line, isTrial }: Answered,
  reason: string,
): Promise<'failed' | 'pending'> {
  if (isTrial) await trustLine(em, line)
  if (handOff.messageIds.length > 1 && reason !== 'status_404') {
    await putBack(em, key, { handOff, reason, dueAt: null, isSingles: true })
    return 'pending'
  }
  await execute(
    em,
    sql`update hand_offs set state = 'failed', reason = ${reason}, settled_at = clock_timestamp(), next_lookup_at = null where workspace_id = ${key.workspaceId} and id = ${handOff.id} and state in ('claimed', 'unknown')`,
  )
  await execute(
    em,
    sql`update run_recipients set state = 'failed', reasons = array[${reason}] where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and id = any(${handOff.messageIds}::uuid[]) and hand_off_id = ${handOff.id} and state = 'claimed'`,
  )
  return 'failed'
}

async function unknown(em: Em, answered: Answered, reason: string): Promise<'unknown'> {
  const { key, handOff, line } = answered
  await execute(
    em,
    sql`update hand_offs set state = 'unknown', reason = ${reason}, next_lookup_at = claimed_at + ${lookupMinutes[0]} * interval '1 minute'
         where workspace_id = ${key.workspaceId} and id = ${handOff.id} and state = 'claimed'`,
  )
  await restLine(em, line, { reason: 'ambiguous', retryAfterMs: 0, claimedAt: await claimedAt(em, answered) })
  await acceptProven(em, key.workspaceId, [handOff.id])
  return 'unknown'
}

/** Hand-offs of which every message is proven to be at the provider are accepted, whatever their answer was. */
export async function acceptProven(em: Em, workspaceId: string, handOffIds: string[]): Promise<void> {
  await execute(
    em,
    sql`update hand_offs h set state = 'accepted', reason = 'proven_by_events', settled_at = clock_timestamp(), next_lookup_at = null
         where h.workspace_id = ${workspaceId} and h.id = any(${handOffIds}::uuid[]) and h.state in ('claimed', 'unknown')
           and not exists (select 1 from run_recipients r where r.workspace_id = h.workspace_id and r.run_id = h.run_id and r.batch = h.batch
                              and r.hand_off_id = h.id and r.state = 'claimed' and not (${hasFact}))`,
  )
}

/** A run of which nobody is pending and no call is under way is completed. What is unknown stays shown and does not hold it. */
export async function finishRun(em: Em, workspaceId: string, runId: string): Promise<boolean> {
  const finished = await row<{ campaign_id: string }>(
    em,
    sql`update campaign_runs r set state = 'completed', completed_at = clock_timestamp(), held_by = null
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending'
           and not exists (select 1 from delivery_batches b where b.run_id = r.id and b.done_at is null)
           and not exists (select 1 from hand_offs h where h.run_id = r.id and h.state = 'claimed')
        returning campaign_id`,
  )
  if (!finished) return false
  await execute(
    em,
    sql`update campaigns set status = ${campaignStatusFor('completed')} where workspace_id = ${workspaceId} and id = ${finished.campaign_id}`,
  )
  await publish(em, RunCompletedSchema, { runId, campaignId: finished.campaign_id })
  return true
}
