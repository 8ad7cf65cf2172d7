import { execute, newId, row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import type { CurrentDraft } from './current-draft.ts'

/** Whom a run is for, counted. */
export interface SnapshotCounts {
  included: number
  excluded: number
  exclusionCounts: Record<string, number>
  batches: number
}

const flushRows = 2_000
const flushesAtOnce = 2
const heartbeatMs = 3_000
const streamTimeoutMs = 900_000

interface Columns {
  ids: string[]
  batches: number[]
  contacts: string[]
  audiences: string[]
  emails: string[]
}

const emptyColumns = (): Columns => ({ ids: [], batches: [], contacts: [], audiences: [], emails: [] })

/**
 * Streams the verdicts of the audiences into the recipients of a run that is being built, in one pass with bounded memory:
 * while two inserts are under way the stream waits. Whoever is excluded is counted under each reason and not kept;
 * whom the tag filter keeps out is in no count.
 */
export async function buildSnapshot(
  ctx: Ctx,
  runId: string,
  { audience_ids: audienceIds, tag_filter: tagFilter }: Pick<CurrentDraft, 'audience_ids' | 'tag_filter'>,
): Promise<SnapshotCounts> {
  const { deliveryBatchSize } = ctx.config
  const exclusions = new Map<string, number>()
  const inserts = new Set<Promise<void>>()
  let failure: unknown
  let columns = emptyColumns()
  let taken = 0
  let included = 0
  let excluded = 0
  let seenAt = performance.now()

  const insert = (filled: Columns) => {
    const insertion = insertRecipients(ctx, runId, filled)
      .then((added) => void (included += added))
      .catch((error: unknown) => void (failure ??= error))
      .finally(() => inserts.delete(insertion))
    inserts.add(insertion)
  }

  try {
    for await (const { verdicts } of ctx.contacts.streamAudienceVerdicts(
      ctx,
      { audienceIds, ...(tagFilter === null ? {} : { tagFilter }) },
      { timeoutMs: streamTimeoutMs },
    )) {
      for (const { contactId, audienceId, normalizedEmail, reasons } of verdicts) {
        if (reasons.length > 0) {
          excluded += 1
          for (const reason of reasons) exclusions.set(reason, (exclusions.get(reason) ?? 0) + 1)
          continue
        }
        columns.ids.push(newId())
        columns.batches.push(Math.floor(taken / deliveryBatchSize))
        columns.contacts.push(contactId)
        columns.audiences.push(audienceId)
        columns.emails.push(normalizedEmail)
        taken += 1
      }
      if (columns.ids.length >= flushRows) {
        if (inserts.size >= flushesAtOnce) await Promise.race(inserts)
        if (failure) break
        insert(columns)
        columns = emptyColumns()
      }
      if (performance.now() - seenAt > heartbeatMs) {
        await ctx.tx((em) => stillBuilding(em, ctx.workspaceId, runId))
        seenAt = performance.now()
      }
    }
    if (!failure && columns.ids.length > 0) insert(columns)
  } finally {
    await Promise.all(inserts)
  }
  if (failure) throw failure
  return {
    included,
    excluded,
    exclusionCounts: Object.fromEntries(exclusions),
    batches: Math.ceil(taken / deliveryBatchSize),
  }
}

/** One statement for thousands of rows; the second copy of a normalized address is dropped. */
function insertRecipients(
  ctx: Ctx,
  runId: string,
  { ids, batches, contacts, audiences, emails }: Columns,
): Promise<number> {
  return ctx.tx(async (em) => {
    const building = await row(
      em,
      sql`select 1 from campaign_runs where workspace_id = ${ctx.workspaceId} and id = ${runId} and state = 'building' for share`,
    )
    if (!building) throw abandoned()
    return execute(
      em,
      sql`insert into run_recipients (workspace_id, run_id, id, batch, contact_id, audience_id, normalized_email)
          select ${ctx.workspaceId}::uuid, ${runId}::uuid, t.*
            from unnest(${ids}::uuid[], ${batches}::integer[], ${contacts}::uuid[], ${audiences}::uuid[], ${emails}::text[]) as t
          on conflict (run_id, normalized_email) do nothing`,
    )
  })
}

/** Says that somebody still works on this run; a sweeper removes those that nobody works on. */
async function stillBuilding(em: Em, workspaceId: string, runId: string): Promise<void> {
  const changed = await execute(
    em,
    sql`update campaign_runs set building_seen_at = now() where workspace_id = ${workspaceId} and id = ${runId} and state = 'building'`,
  )
  if (changed === 0) throw abandoned()
}

const abandoned = () =>
  new Fault(
    'unavailable',
    'snapshot_abandoned',
    'Scheduling took too long and was given up; nothing was scheduled. Send the request again.',
  )

/** Seconds without a sign of life after which a run that is being built counts as abandoned. */
export const abandonedAfterSeconds = 30

/**
 * Removes a run that never came to be, with its recipients and the key that began it. With `onlyStale` only when nobody has
 * worked on it for a while. Answers whether it was removed.
 */
export function removeUnbuilt(ctx: Ctx, runId: string, options: { onlyStale: boolean }): Promise<boolean> {
  const { workspaceId } = ctx
  return ctx.tx(
    async (em) => {
      const found = await row(
        em,
        sql`select 1 from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and state = 'building'
               and (not ${options.onlyStale}::boolean or building_seen_at < now() - ${abandonedAfterSeconds} * interval '1 second') for update`,
      )
      if (!found) return false
      await execute(
        em,
        sql`delete from idempotency_keys where workspace_id = ${workspaceId} and resource_id = ${runId}`,
      )
      await execute(em, sql`delete from run_recipients where workspace_id = ${workspaceId} and run_id = ${runId}`)
      await execute(em, sql`delete from campaign_runs where workspace_id = ${workspaceId} and id = ${runId}`)
      return true
    },
    { statementTimeoutMs: 60_000 },
  )
}
