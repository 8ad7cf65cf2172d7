import { execute, newId, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { holdLease, type SnapshotJob } from '../db/snapshot-jobs.ts'
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
  job: SnapshotJob,
  { audience_ids: audienceIds, tag_filter: tagFilter }: Pick<CurrentDraft, 'audience_ids' | 'tag_filter'>,
): Promise<SnapshotCounts> {
  const { batch_size: batchSize } = job
  const exclusions = new Map<string, number>()
  const inserts = new Set<Promise<void>>()
  let failure: unknown
  let columns = emptyColumns()
  let taken = 0
  let included = 0
  let excluded = 0

  const insert = (filled: Columns) => {
    const insertion = insertRecipients(ctx, job, filled)
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
        columns.batches.push(Math.floor(taken / batchSize))
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
    }
    ctx.signal.throwIfAborted() // however a stream ends that was given up, it is not the whole audience
    if (!failure && columns.ids.length > 0) insert(columns)
  } finally {
    await Promise.all(inserts)
  }
  if (failure) throw failure
  return {
    included,
    excluded,
    exclusionCounts: Object.fromEntries(exclusions),
    batches: Math.ceil(taken / batchSize),
  }
}

/** One statement for thousands of rows, while the lease is held; the second copy of a normalized address is dropped. */
function insertRecipients(
  ctx: Ctx,
  job: SnapshotJob,
  { ids, batches, contacts, audiences, emails }: Columns,
): Promise<number> {
  return ctx.tx(
    async (em) => {
      await holdLease(em, job)
      return execute(
        em,
        sql`insert into run_recipients (workspace_id, run_id, id, batch, contact_id, audience_id, normalized_email)
            select ${job.workspace_id}::uuid, ${job.run_id}::uuid, t.*
              from unnest(${ids}::uuid[], ${batches}::integer[], ${contacts}::uuid[], ${audiences}::uuid[], ${emails}::text[]) as t
            on conflict (run_id, normalized_email) do nothing`,
      )
    },
    { isLong: true },
  )
}
