import { defineEntity, p } from '@mikro-orm/core'
import {
  arrayOf,
  columns,
  held,
  prepared,
  sql,
  statement,
  textsOf,
  unplanned,
  uuidsOf,
  type Em,
  type RowOf,
} from '@lettergate/database'
import type { RowOutcome } from './row-outcome.ts'

/** The passes of an import over its file: refusals first. */
export const passes = { suppressions: 1, rows: 2 } as const
export type Pass = keyof typeof passes

/** The ledger of imports: each row that an apply of an import applied, once, with what it did. It names ids only. */
export const ImportRow = defineEntity({
  name: 'ImportRow',
  tableName: 'import_rows',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    applyNumber: p.smallint().primary(),
    pass: p.smallint().primary(),
    rowNumber: p.integer().primary(),
    outcome: p.text().$type<RowOutcome>(),
    contact: p.text().$type<'new' | 'existing'>().nullable(),
    contactId: p.uuid().nullable(),
    /** the consent event that the row appended */
    eventId: p.uuid().nullable(),
    reasons: p.array().nullable(),
    appliedAt: p.datetime().defaultRaw('now()'),
  },
})

const appliedColumns = columns(ImportRow, 'row_number', 'outcome', 'contact', 'reasons')
const selectApplied = statement('select-applied-import-rows', appliedColumns)
export type AppliedRow = RowOf<typeof appliedColumns>

/** Where rows are in the ledger. */
export interface LedgerPart {
  readonly importId: string
  readonly applyNumber: number
  readonly pass: Pass
}

/** Those of these rows that were applied before. */
export const findApplied = (
  em: Em,
  workspaceId: string,
  { importId, applyNumber, pass }: LedgerPart,
  rowNumbers: readonly number[],
): Promise<AppliedRow[]> =>
  selectApplied.rows(
    em,
    prepared(sql`select row_number, outcome, contact, reasons from import_rows
         where workspace_id = ${workspaceId} and import_id = ${importId} and apply_number = ${applyNumber}
           and pass = ${passes[pass]}
           and row_number = any(${unplanned(arrayOf(rowNumbers), 'integer[]')})`),
  )

/** What a row did, for the ledger. */
export interface LedgerRow {
  readonly rowNumber: number
  readonly outcome: RowOutcome
  readonly contact: 'new' | 'existing' | null
  readonly contactId: string | null
  readonly eventId: string | null
  readonly reasons: readonly string[]
}

const insertRows = statement('insert-import-rows')

const insertRefused = statement('insert-refused-import-rows')

const inserted = (
  workspaceId: string,
  { importId, applyNumber, pass }: LedgerPart,
  rows: readonly LedgerRow[],
) => sql`insert into import_rows (workspace_id, import_id, apply_number, pass, row_number, outcome, contact, contact_id, event_id, reasons)
        select ${workspaceId}::uuid, ${importId}::uuid, ${applyNumber}::smallint, ${passes[pass]}::smallint, r.row_number,
               r.outcome, r.contact, r.contact_id, r.event_id, string_to_array(r.reasons, ',')
          from unnest(${arrayOf(rows.map((row) => row.rowNumber))}::integer[], ${arrayOf(rows.map((row) => row.outcome))}::text[],
                      ${arrayOf(rows.map((row) => row.contact ?? 'NULL'))}::text[],
                      ${uuidsOf(rows.map((row) => row.contactId))}::uuid[],
                      ${uuidsOf(rows.map((row) => row.eventId))}::uuid[],
                      ${textsOf(rows.map((row) => (row.reasons.length === 0 ? null : row.reasons.join(','))))}::text[])
            as r (row_number, outcome, contact, contact_id, event_id, reasons)`

/**
 * Adds rows to the ledger. A refused row holds no lock, so a concurrent copy of its batch may have added it. Every other row is
 * there once, or the transaction fails.
 */
export async function appendRows(
  em: Em,
  workspaceId: string,
  part: LedgerPart,
  rows: readonly LedgerRow[],
): Promise<void> {
  const [refused, others] = [true, false].map((is) => rows.filter(({ outcome }) => (outcome === 'refused') === is))
  if (others!.length > 0) await insertRows.execute(em, held(inserted(workspaceId, part, others!)))
  if (refused!.length === 0) return
  await insertRefused.execute(em, held(sql`${inserted(workspaceId, part, refused!)} on conflict do nothing`))
}

const deleteStep = statement('delete-old-import-rows')

/** Deletes up to `most` rows that were applied more than `days` days ago, of one import at a time. Answers how many. */
export const deleteOldRows = (em: Em, { days, most }: { days: number; most: number }): Promise<number> =>
  deleteStep.execute(
    em,
    // One index probe for each import: its first row tells its age, because an import is applied within days.
    sql`with recursive imports as (
          (select workspace_id, import_id, applied_at from import_rows
            order by workspace_id, import_id, apply_number, pass, row_number limit 1)
          union all
          select n.workspace_id, n.import_id, n.applied_at from imports i cross join lateral (
            select r.workspace_id, r.import_id, r.applied_at from import_rows r
             where (r.workspace_id, r.import_id) > (i.workspace_id, i.import_id)
             order by r.workspace_id, r.import_id, r.apply_number, r.pass, r.row_number limit 1) n),
        old as (
          select r.workspace_id, r.import_id, r.apply_number, r.pass, r.row_number from imports i cross join lateral (
            select * from import_rows k where k.workspace_id = i.workspace_id and k.import_id = i.import_id
               and k.applied_at < now() - ${days} * interval '1 day'
             order by k.apply_number, k.pass, k.row_number limit ${most}) r
           where i.applied_at < now() - ${days} * interval '1 day' limit ${most})
        delete from import_rows r using old o
         where r.workspace_id = o.workspace_id and r.import_id = o.import_id and r.apply_number = o.apply_number
           and r.pass = o.pass and r.row_number = o.row_number`,
  )
