import { isUniqueViolation, newId, prepared, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import type { CurrentDraft } from '../drafts/current-draft.ts'
import { lockLease, type LeasedSnapshotJob } from './snapshot-job.entity.ts'

/** How many recipients a run has. */
export interface SnapshotCounts {
  included: number
  excluded: number
  exclusionCounts: Record<string, number>
  batches: number
}

const flushRows = 2_000
const flushesAtOnce = 2
const streamTimeoutMs = 900_000

/** Eligible recipients of one audience as the stream sends them: line n of each text belongs to the same recipient. */
interface EligibleRecipients {
  /** number of recipients of the run before these */
  before: number
  audienceId: string
  ids: string
  contactIds: string
  emails: string
}

/**
 * Streams the verdicts of the audiences into the recipients of a run in one pass with bounded memory. While two inserts are
 * under way the stream waits. Excluded contacts are counted by reason and not stored. Contacts that do not match the tag
 * filter are not counted.
 */
export async function buildSnapshot(
  ctx: Ctx,
  job: LeasedSnapshotJob,
  { audience_ids: audienceIds, tag_filter: tagFilter }: Pick<CurrentDraft, 'audience_ids' | 'tag_filter'>,
): Promise<SnapshotCounts> {
  const { batch_size: batchSize } = job
  const exclusions = new Map<string, number>()
  const inserts = new Set<Promise<void>>()
  let failure: unknown
  let parts: EligibleRecipients[] = []
  let taken = 0
  let flushed = 0
  let included = 0
  let excluded = 0

  const flush = () => {
    const insertion = insertOnce(ctx, job, parts)
      .then((added) => void (included += added))
      .catch((error: unknown) => void (failure ??= error))
      .finally(() => inserts.delete(insertion))
    inserts.add(insertion)
    parts = []
    flushed = taken
  }

  try {
    for await (const { verdicts, eligible } of ctx.contacts.streamAudienceVerdicts(
      ctx,
      { audienceIds, eligibleInLines: true, ...(tagFilter === null ? {} : { tagFilter }) },
      { timeoutMs: streamTimeoutMs },
    )) {
      excluded += verdicts.length
      for (const { reasons } of verdicts) {
        if (reasons.length === 0) throw answersVerdicts()
        for (const reason of reasons) exclusions.set(reason, (exclusions.get(reason) ?? 0) + 1)
      }
      for (const { audienceId, count, contactIds, normalizedEmails } of eligible) {
        const ids = Array.from({ length: count }, newId).join('\n')
        parts.push({ before: taken, audienceId, ids, contactIds, emails: normalizedEmails })
        taken += count
      }
      if (taken - flushed >= flushRows) {
        if (inserts.size >= flushesAtOnce) await Promise.race(inserts)
        if (failure) break
        flush()
      }
    }
    ctx.signal.throwIfAborted() // however a stream ends that was given up, it is not the whole audience
    if (!failure && parts.length > 0) flush()
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

/** Fails while contacts-consent still runs the previous release, which sends every recipient as a verdict. */
const answersVerdicts = () =>
  new Fault('unavailable', 'contacts-consent', 'contacts-consent is being upgraded. Try again in a moment.')

/**
 * Drops a second recipient with the same normalized address. There should be none, because contacts-consent stores each
 * address once. `on conflict` costs a fifth of the insert, so it is used only after a violation.
 */
async function insertOnce(ctx: Ctx, job: LeasedSnapshotJob, parts: readonly EligibleRecipients[]): Promise<number> {
  try {
    return await insertRecipients(ctx, job, { parts, otherwise: sql`` })
  } catch (error) {
    if (!isUniqueViolation(error, 'run_recipients_once')) throw error
    return insertRecipients(ctx, job, { parts, otherwise: sql`on conflict (run_id, normalized_email) do nothing` })
  }
}

const column = <Name extends keyof EligibleRecipients>(parts: readonly EligibleRecipients[], name: Name) =>
  parts.map((part) => part[name])

const insertAll = statement('insert-run-recipients')

/** Inserts thousands of rows in one statement while the lease is held. */
function insertRecipients(
  ctx: Ctx,
  job: LeasedSnapshotJob,
  { parts, otherwise }: { parts: readonly EligibleRecipients[]; otherwise: ReturnType<typeof sql> },
): Promise<number> {
  const lines = (name: string) => sql`string_to_array(${sql.ref(name)}, e'\n')`
  return ctx.tx(
    async (em) => {
      await lockLease(em, job)
      return insertAll.execute(
        em,
        prepared(sql`insert into run_recipients (workspace_id, run_id, id, batch, contact_id, audience_id, normalized_email)
            select ${job.workspace_id}::uuid, ${job.run_id}::uuid, t.id, (part.before + t.n - 1) / ${job.batch_size}::integer, t.contact_id, part.audience_id, t.email
              from unnest(${column(parts, 'before')}::integer[], ${column(parts, 'audienceId')}::uuid[], ${column(parts, 'ids')}::text[],
                          ${column(parts, 'contactIds')}::text[], ${column(parts, 'emails')}::text[]) as part (before, audience_id, ids, contact_ids, emails)
             cross join lateral unnest(${lines('part.ids')}::uuid[], ${lines('part.contact_ids')}::uuid[], ${lines('part.emails')})
                   with ordinality as t (id, contact_id, email, n)
            ${otherwise}`),
      )
    },
    { isLong: true },
  )
}
