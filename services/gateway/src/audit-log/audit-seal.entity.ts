import { defineEntity, p } from '@mikro-orm/core'
import { column, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { AuditRow, AuditSeal as Seal } from './audit-chain.ts'

/** The hash chain over the audit log: append-only, in the database too. */
export const AuditSeal = defineEntity({
  name: 'AuditSeal',
  tableName: 'audit_seals',
  properties: {
    position: p.bigint().primary(),
    entryId: p.uuid(),
    entrySha256: p.text(),
    previousSha256: p.text().nullable(),
    sha256: p.text(),
    sealedAt: p.datetime(),
  },
})

/** Entries that wait for their seal; a trigger of audit_log adds them. */
export const UnsealedAuditEntry = defineEntity({
  name: 'UnsealedAuditEntry',
  tableName: 'unsealed_audit_entries',
  properties: { arrival: p.bigint().primary(), entryId: p.uuid() },
})

const sealedColumns = { seal: column.json<Seal>(), entry: nullable(column.json<AuditRow>()) }
const selectSealed = statement('select-audit-seals-with-entries', sealedColumns)

/** A seal with its entry, as they are in the tables now. */
export type SealedEntry = RowOf<typeof sealedColumns>

/** The next seals of the chain with their entries. Needs a system transaction. */
export const sealsAfter = (em: Em, position: number, limit: number): Promise<SealedEntry[]> =>
  selectSealed.rows(
    em,
    sql`select to_jsonb(s) as seal, case when e.id is not null then to_jsonb(e) end as entry
          from (select * from audit_seals where position > ${position} order by position limit ${limit}) s
          left join audit_log e on e.id = s.entry_id
         order by s.position`,
  )

const selectHead = statement('select-audit-head', { head: nullable(column.json<Seal>()) })

/** The newest seal, or null. */
export const auditHead = async (em: Em): Promise<Seal | null> =>
  (await selectHead.row(em, sql`select (select to_jsonb(s) from audit_seals s order by position desc limit 1) as head`))
    ?.head ?? null
