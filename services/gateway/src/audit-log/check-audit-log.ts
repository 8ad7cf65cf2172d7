import { columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { alertBrokenLog, type LogBreak } from './alert-broken-log.ts'
import { compareChain } from './audit-chain.ts'
import { AuditLogCheck } from './audit-log-check.entity.ts'
import { sealsAfter } from './audit-seal.entity.ts'

const slice = 500
const pauseSeconds = 3_600

const takeCheck = statement('take-due-audit-log-check', columns(AuditLogCheck))

/**
 * Compares the audit log with its seals, a slice at a time, from the beginning to the end, and again an hour later. It also finds
 * changes that circumvent the triggers of the database, and seals that are missing at the end. Two replicas never check one slice.
 */
export const checkAuditLog = (ctx: Ctx): Promise<'finished' | 'unfinished'> =>
  ctx.tx(async (em) => {
    const check = await takeCheck.row(
      em,
      sql`select * from audit_log_checks where due_at <= now() for update skip locked`,
    )
    if (!check) return 'finished'
    const rows = await sealsAfter(em, Number(check.position), slice)
    const { mismatches, to: reached } = compareChain(rows, { position: Number(check.position), sha256: check.sha256 })
    const to = reached!
    const breaks: LogBreak[] = [...mismatches]
    const known = Number(check.known_position)
    const atKnown = rows.find(({ seal }) => seal.position === known)
    if (atKnown && atKnown.seal.sha256 !== check.known_sha256)
      breaks.push({ problem: 'the chain is not the one of the check before', position: known })
    const isRoundOver = rows.length < slice
    if (isRoundOver && to.position < known) breaks.push({ problem: 'seals were removed from the end', position: known })
    if (breaks.length > 0) await alertBrokenLog(em, breaks)
    await keep(em, to, isRoundOver)
    return isRoundOver ? 'finished' : 'unfinished'
  })

/** Stores where the next slice begins, and the newest seal that was compared. */
const keep = (em: Em, to: { position: number; sha256: string | null }, isRoundOver: boolean) =>
  kyselyOf(em, AuditLogCheck)
    .updateTable('audit_log_checks')
    .set({
      ...(isRoundOver
        ? { due_at: sql`now() + make_interval(secs => ${pauseSeconds})`, position: '0', sha256: null }
        : { position: String(to.position), sha256: to.sha256 }),
      known_position: sql`greatest(known_position, ${to.position}::bigint)`,
      known_sha256: sql`case when ${to.position}::bigint >= known_position then ${to.sha256}::text else known_sha256 end`,
    })
    .execute()
