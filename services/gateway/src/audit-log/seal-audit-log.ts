import { arrayOf, column, columns, nullable, sql, statement, textsOf, type Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { alertBrokenLog } from './alert-broken-log.ts'
import { beginning, sealEntries, type AuditRow, type AuditSeal } from './audit-chain.ts'
import { auditHead, UnsealedAuditEntry } from './audit-seal.entity.ts'

const atOnce = 1_000

const trySealing = statement('try-sealing-audit-log', { taken: column.boolean(), sealed_at: column.text() })
const selectWaiting = statement('select-audit-entries-to-seal', {
  ...columns(UnsealedAuditEntry, 'arrival', 'entry_id'),
  entry: nullable(column.json<AuditRow>()),
})
const appendSeals = statement('append-audit-seals')

/**
 * Seals new entries of the audit log, in order of arrival. One process seals at a time, and writers of the log do not wait for it.
 * The log of the process names each new end of the chain, so that a copy of it is outside of the database.
 */
export async function sealAuditLog(ctx: Ctx): Promise<'finished' | 'unfinished'> {
  const { sealed, taken } = await ctx.tx(sealSome)
  const head = sealed.at(-1)
  if (head)
    ctx.log.info({ position: head.position, sha256: head.sha256, entries: sealed.length }, 'audit entries sealed')
  return taken === atOnce ? 'unfinished' : 'finished'
}

async function sealSome(em: Em): Promise<{ sealed: AuditSeal[]; taken: number }> {
  const lock = await trySealing.row(
    em,
    sql`select pg_try_advisory_xact_lock(hashtextextended('seal audit log', 0)) as taken, to_jsonb(now()) #>> '{}' as sealed_at`,
  )
  if (!lock?.taken) return { sealed: [], taken: 0 }
  const waiting = await selectWaiting.rows(
    em,
    sql`select u.arrival, u.entry_id, case when e.id is not null then to_jsonb(e) end as entry
          from (select arrival, entry_id from unsealed_audit_entries order by arrival limit ${atOnce}) u
          left join audit_log e on e.id = u.entry_id
         order by u.arrival`,
  )
  if (waiting.length === 0) return { sealed: [], taken: 0 }
  const entries = waiting.flatMap(({ entry }) => (entry === null ? [] : [entry]))
  const sealed = sealEntries((await auditHead(em)) ?? beginning, lock.sealed_at, entries)
  await append(
    em,
    sealed,
    waiting.map(({ arrival }) => arrival),
  )
  const missing = waiting.filter(({ entry }) => entry === null)
  if (missing.length > 0)
    await alertBrokenLog(
      em,
      missing.map(({ entry_id: entryId }) => ({ problem: 'the entry was removed before it was sealed', entryId })),
    )
  return { sealed, taken: waiting.length }
}

const append = (em: Em, seals: readonly AuditSeal[], arrivals: readonly string[]) =>
  appendSeals.execute(
    em,
    sql`with done as (delete from unsealed_audit_entries where arrival = any(${arrayOf(arrivals)}::bigint[]))
        insert into audit_seals (position, entry_id, entry_sha256, previous_sha256, sealed_at, sha256)
        select * from unnest(${arrayOf(seals.map((seal) => seal.position))}::bigint[],
                             ${arrayOf(seals.map((seal) => seal.entry_id))}::uuid[],
                             ${arrayOf(seals.map((seal) => seal.entry_sha256))}::text[],
                             ${textsOf(seals.map((seal) => seal.previous_sha256 ?? null))}::text[],
                             ${textsOf(seals.map((seal) => seal.sealed_at))}::timestamptz[],
                             ${arrayOf(seals.map((seal) => seal.sha256))}::text[])`,
  )
