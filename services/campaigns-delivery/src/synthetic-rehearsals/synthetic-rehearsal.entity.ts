import type { JsonObject } from '@bufbuild/protobuf'
import { defineEntity, p } from '@mikro-orm/core'
import { sha256Of } from '@lettergate/canonical-json'
import {
  columns,
  isUniqueViolation,
  kyselyOf,
  listOf,
  sql,
  statement,
  type Em,
  type Row,
  type RowOf,
} from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'

export type SyntheticRehearsalState = 'queued' | 'running' | 'completed' | 'failed'

export const SyntheticRehearsal = defineEntity({
  name: 'SyntheticRehearsal',
  tableName: 'synthetic_rehearsals',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    state: p.text().$type<SyntheticRehearsalState>().default('queued'),
    recipientCount: p.integer(),
    targetSeconds: p.integer(),
    requestedBy: p.text(),
    correlationId: p.text(),
    trace: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
    startedAt: p.datetime().nullable(),
    leasedUntil: p.datetime().nullable(),
    providerCallCount: p.integer().default(0),
    elapsedMilliseconds: p.integer().nullable(),
    eligibleCount: p.integer().nullable(),
    excludedCount: p.integer().nullable(),
    claimedCount: p.integer().nullable(),
    recoveredCount: p.integer().nullable(),
    duplicateClaimCount: p.integer().nullable(),
    cleanupVerified: p.boolean().nullable(),
    report: p.json<JsonObject>().defaultRaw(`'{}'`),
    reportChecksum: p.text(),
    completedAt: p.datetime().nullable(),
  },
})

/** Returns the rehearsal of this workspace with that id. Fault `not_found` also for a rehearsal of another workspace. */
export async function requireSyntheticRehearsal(em: Em, workspaceId: string, id: string) {
  const found = isUuid(id)
    ? await kyselyOf(em, SyntheticRehearsal)
        .selectFrom('synthetic_rehearsals')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (!found) throw new Fault('not_found', 'synthetic_rehearsal', 'There is no such synthetic rehearsal.')
  return rehearsalReply(found)
}

const known = <Name extends string, T>(name: Name, value: T | null) =>
  (value === null ? {} : { [name]: value }) as Partial<Record<Name, T>>

/** The rehearsal as the API shows it. */
const rehearsalReply = (run: Row<typeof SyntheticRehearsal>) => ({
  id: run.id,
  workspaceId: run.workspace_id,
  state: run.state,
  recipientCount: run.recipient_count,
  targetSeconds: run.target_seconds,
  providerCallCount: run.provider_call_count,
  requestedByWalletId: run.requested_by,
  createdAt: moment(run.created_at),
  report: run.report,
  reportChecksum: run.report_checksum,
  ...known('elapsedMilliseconds', run.elapsed_milliseconds),
  ...known('eligibleCount', run.eligible_count),
  ...known('excludedCount', run.excluded_count),
  ...known('claimedCount', run.claimed_count),
  ...known('recoveredCount', run.recovered_count),
  ...known('duplicateClaimCount', run.duplicate_claim_count),
  ...known('cleanupVerified', run.cleanup_verified),
  completedAt: moment(run.completed_at),
})

const takenColumns = columns(
  SyntheticRehearsal,
  'workspace_id',
  'id',
  'recipient_count',
  'target_seconds',
  'requested_by',
  'correlation_id',
  'trace',
)

/** A rehearsal that this worker runs while its lease is renewed. */
export type TakenRehearsal = RowOf<typeof takenColumns>

/** How long a rehearsal of a dead worker counts as running. */
const leaseSeconds = 30

const takeNext = statement('take-synthetic-rehearsal', takenColumns)

/** Takes the oldest queued rehearsal. Undefined while another one runs anywhere: a unique index allows one. */
export async function takeRehearsal(em: Em): Promise<TakenRehearsal | undefined> {
  try {
    return await takeNext.row(
      em,
      sql`with next as (
            select workspace_id, id from synthetic_rehearsals
             where state = 'queued' and not exists (select from synthetic_rehearsals r where r.state = 'running')
             order by id limit 1 for update skip locked)
          update synthetic_rehearsals s set state = 'running', started_at = now(), leased_until = now() + ${leaseSeconds} * interval '1 second'
            from next where s.workspace_id = next.workspace_id and s.id = next.id
          returning ${listOf(takenColumns, 's')}`,
    )
  } catch (error) {
    if (isUniqueViolation(error, 'synthetic_rehearsals_one_running')) return undefined
    throw error
  }
}

const changeRunning = (em: Em, { workspace_id, id }: TakenRehearsal) =>
  kyselyOf(em, SyntheticRehearsal)
    .updateTable('synthetic_rehearsals')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('state', '=', 'running')

/** Returns whether the rehearsal is still running. */
export async function renewRehearsal(em: Em, taken: TakenRehearsal): Promise<boolean> {
  const { numUpdatedRows } = await changeRunning(em, taken)
    .set({ leased_until: sql<string>`now() + ${leaseSeconds} * interval '1 second'` })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What is stored of a rehearsal at its end. */
export interface RehearsalEnd {
  state: 'completed' | 'failed'
  cleanupVerified: boolean
  report: JsonObject
  counts?: {
    providerCalls: number
    elapsedMilliseconds: number
    eligible: number
    excluded: number
    claimed: number
    recovered: number
    duplicateClaims: number
  }
}

/** Ends a running rehearsal for good. Returns whether it was still running. */
export async function endRehearsal(em: Em, taken: TakenRehearsal, end: RehearsalEnd): Promise<boolean> {
  const { state, cleanupVerified, report, counts } = end
  const { numUpdatedRows } = await changeRunning(em, taken)
    .set({
      state,
      leased_until: null,
      completed_at: sql<string>`clock_timestamp()`,
      cleanup_verified: cleanupVerified,
      report: JSON.stringify(report) as never,
      report_checksum: sha256Of(report),
      ...(counts && {
        provider_call_count: counts.providerCalls,
        elapsed_milliseconds: counts.elapsedMilliseconds,
        eligible_count: counts.eligible,
        excluded_count: counts.excluded,
        claimed_count: counts.claimed,
        recovered_count: counts.recovered,
        duplicate_claim_count: counts.duplicateClaims,
      }),
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const selectLost = statement('select-lost-synthetic-rehearsals', takenColumns)

/** A query that finds a row when a worker died during a rehearsal. */
export const lostRehearsals = "select from synthetic_rehearsals where state = 'running' and leased_until < now()"

export const findLostRehearsals = (em: Em): Promise<TakenRehearsal[]> =>
  selectLost.rows(
    em,
    sql`select ${listOf(takenColumns, 's')} from synthetic_rehearsals s where s.state = 'running' and s.leased_until < now()`,
  )
