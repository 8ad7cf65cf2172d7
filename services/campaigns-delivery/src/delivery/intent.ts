import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { execute, newId, row, rows, sql, type Em } from '@lettergate/database'
import { askLine, beginTrial, type Line } from '../db/connection-holds.ts'
import { lockPace, payPace } from '../db/connection-paces.ts'
import { pace } from '../domain/delivery/pace.ts'
import { takeSlots } from './take-slots.ts'

/** Which batch is meant. */
export interface BatchKey {
  workspaceId: string
  runId: string
  batch: number
}

/** One call to the provider that is about to be made, and for whom. */
export interface IntendedHandOff {
  id: string
  messageIds: string[]
}

/** Why a batch goes back without anybody having been claimed. */
export type Postponed = 'resting' | 'paced' | 'connection_full' | 'worker_full'

export type Intent =
  /** `isWhole`: nobody who may be mailed is left in the batch */
  | { kind: 'claimed'; handOffs: IntendedHandOff[]; isTrial: boolean; isWhole: boolean; skipped: number }
  | { kind: 'postponed'; why: Postponed }
  | { kind: 'stopped' }

/** What one connection takes, over all workers. */
export interface LineLimits {
  atOnce: number
  /** messages; 0 is as fast as it goes */
  perSecond: number
}

export interface Intended {
  eligible: string[]
  ineligible: { id: string; reasons: string[] }[]
  judgedAt: string
  sender: SenderReadiness
  isSingles: boolean
  limits: LineLimits
}

/** Calls at once while every message is handed over alone. */
const singlesAtOnce = 5
/** Until a batch whose connection has no room is published again, by whoever then sees room. */
const postponedMs = 250

/**
 * Writes down what is about to be handed to the provider, before any socket is touched. Whoever is not eligible is skipped
 * with the reasons. Takes only who is still pending, in a run that is still being sent; a connection that rests, is ahead of
 * its pace or has all its calls under way takes nobody.
 */
export async function commitIntent(em: Em, key: BatchKey, intended: Intended): Promise<Intent> {
  const { workspaceId, runId } = key
  const { eligible, ineligible, limits } = intended
  const sending = await row(
    em,
    sql`select 1 from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and state = 'sending' for share`,
  )
  if (!sending) return { kind: 'stopped' }
  const skipped = await skip(em, workspaceId, ineligible)
  if (eligible.length === 0) {
    await closeBatch(em, key)
    return { kind: 'claimed', handOffs: [], isTrial: false, isWhole: true, skipped }
  }
  const line = lineOf(workspaceId, intended.sender)
  const permission = await askLine(em, line)
  if (permission.kind === 'resting') return goBack(em, key, 'resting')
  const groups = groupsOf(eligible, intended.isSingles || (permission.kind === 'trial' && permission.singles))
  const aheadMs = limits.perSecond === 0 ? 0 : await lockPace(em, line)
  if (aheadMs > 0) return goBack(em, key, 'paced')

  const calls = groups.map((messageIds) => ({ id: newId(), messageIds }))
  const { region, credentialEnvKey } = intended.sender
  const wanted = { key, line, region, credentialEnvKey, judgedAt: intended.judgedAt, atOnce: limits.atOnce }
  const taken = await takeSlots(em, wanted, calls)
  if (taken.length === 0) return goBack(em, key, 'connection_full')
  if (permission.kind === 'trial') await beginTrial(em, line)
  const handOffs = await claim(em, key, taken)
  const claimed = handOffs.reduce((sum, { messageIds }) => sum + messageIds.length, 0)
  if (limits.perSecond > 0) await pay(em, line, { aheadMs, messages: claimed, perSecond: limits.perSecond })
  await closeBatch(em, key)
  return {
    kind: 'claimed',
    handOffs,
    isTrial: permission.kind === 'trial',
    isWhole: claimed >= eligible.length,
    skipped,
  }
}

export const lineOf = (workspaceId: string, { providerConnectionId, domainName }: SenderReadiness): Line => ({
  workspaceId,
  connectionId: providerConnectionId,
  domainName,
})

const groupsOf = (eligible: string[], isAlone: boolean): string[][] =>
  isAlone ? eligible.slice(0, singlesAtOnce).map((id) => [id]) : [eligible]

async function goBack(em: Em, key: BatchKey, why: Postponed): Promise<Intent> {
  await postponeBatch(em, key, postponedMs)
  return { kind: 'postponed', why }
}

/** Gives a batch back to be published again, not before so many milliseconds. Its people wait. */
export async function postponeBatch(em: Em, { workspaceId, runId, batch }: BatchKey, ms = postponedMs): Promise<void> {
  await execute(
    em,
    sql`update delivery_batches set published_at = null, due_at = greatest(due_at, clock_timestamp() + ${ms} * interval '1 ms')
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and done_at is null`,
  )
}

async function pay(
  em: Em,
  line: Line,
  { aheadMs, messages, perSecond }: { aheadMs: number; messages: number; perSecond: number },
): Promise<void> {
  const paced = pace(aheadMs, messages, perSecond)
  if (paced.kind === 'go') await payPace(em, line, paced.aheadMs)
}

/** A batch in which nobody is pending is done. */
async function closeBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<void> {
  await execute(
    em,
    sql`update delivery_batches b set done_at = now() where run_id = ${runId} and batch = ${batch} and workspace_id = ${workspaceId} and done_at is null
          and not exists (select 1 from run_recipients r where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.batch = ${batch} and r.state = 'pending')`,
  )
}

async function skip(em: Em, workspaceId: string, ineligible: { id: string; reasons: string[] }[]): Promise<number> {
  if (ineligible.length === 0) return 0
  return execute(
    em,
    sql`update run_recipients r set state = 'skipped', reasons = string_to_array(t.reasons, ',')
          from unnest(${ineligible.map(({ id }) => id)}::uuid[], ${ineligible.map(({ reasons }) => reasons.join(','))}::text[]) as t (id, reasons)
         where r.workspace_id = ${workspaceId} and r.id = t.id and r.state = 'pending'`,
  )
}

/** Takes the pending ones of the people of these calls; whom another worker is taking right now it leaves alone, and a call for nobody is not made. */
async function claim(em: Em, { workspaceId }: BatchKey, calls: IntendedHandOff[]): Promise<IntendedHandOff[]> {
  const ids = calls.flatMap(({ messageIds }) => messageIds)
  const owners = calls.flatMap(({ id, messageIds }) => messageIds.map(() => id))
  const claimed = await rows<{ id: string; hand_off_id: string }>(
    em,
    sql`with locked as (
          select r.id, t.hand_off_id from unnest(${ids}::uuid[], ${owners}::uuid[]) as t (id, hand_off_id)
            join run_recipients r on r.workspace_id = ${workspaceId} and r.id = t.id
           where r.state = 'pending' for update of r skip locked)
        update run_recipients r set state = 'claimed', hand_off_id = locked.hand_off_id, attempt = r.attempt + 1
          from locked where r.workspace_id = ${workspaceId} and r.id = locked.id
        returning r.id, r.hand_off_id`,
  )
  const byHandOff = Map.groupBy(claimed, ({ hand_off_id }) => hand_off_id)
  const handOffs = calls.map(({ id }) => ({ id, messageIds: (byHandOff.get(id) ?? []).map((member) => member.id) }))
  if (claimed.length < ids.length) await correctCounts(em, workspaceId, handOffs)
  return handOffs.filter(({ messageIds }) => messageIds.length > 0)
}

async function correctCounts(em: Em, workspaceId: string, handOffs: IntendedHandOff[]): Promise<void> {
  const counted = sql`unnest(${handOffs.map(({ id }) => id)}::uuid[], ${handOffs.map(({ messageIds }) => messageIds.length)}::integer[]) as t (id, size)`
  await execute(
    em,
    sql`with never_made as (delete from hand_offs h using ${counted} where h.workspace_id = ${workspaceId} and h.id = t.id and t.size = 0)
        update hand_offs h set recipient_count = t.size from ${counted} where h.workspace_id = ${workspaceId} and h.id = t.id and t.size > 0`,
  )
}
