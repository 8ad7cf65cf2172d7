import type { CountImportRowsRequest, CountImportRowsResponseSchema } from '@lettergate/contracts/contacts/v1/imports'
import { column, columns, prepared, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { bodyId } from '../values/ids.ts'
import { parseApplyNumber } from './import-plan.ts'
import { importSource } from './record-import-consents.ts'
import { ImportRow, passes } from './import-row.entity.ts'

const partRowsMax = 10_000

const effects = [
  'contacts',
  'consents',
  'consents_for_review',
  'withdrawals',
  'suppressions',
  'brought_back',
  'contacts_lost',
] as const
const countedColumns = {
  ...columns(ImportRow, 'outcome', 'contact', 'reasons'),
  rows: column.integer(),
  contacts: column.integer(),
  consents: column.integer(),
  consents_for_review: column.integer(),
  withdrawals: column.integer(),
  suppressions: column.integer(),
  brought_back: column.integer(),
  contacts_lost: column.integer(),
}
const countPart = statement('count-import-rows', countedColumns)

/** Rows of a file, from `first` to `last`. */
interface RowRange {
  readonly first: number
  readonly last: number
}

function parseRange({ firstRow: first, lastRow: last }: CountImportRowsRequest): RowRange {
  const rows = last - first + 1
  if (first > 0 && rows > 0 && rows <= partRowsMax) return { first, last }
  throw new Fault('invalid_argument', 'last_row', `last_row: a part has from 1 to ${partRowsMax} rows, from row 1.`)
}

/** Rows whose contact must not get email of the audience because of this import. */
const wasRefused = sql`(r.outcome in ('withdrawn', 'suppressed', 'already_refused', 'blocked_by_suppression')
  or (r.outcome = 'needs_review' and r.reasons && array['consent_withdrawn', 'consent_under_review', 'erased_before']))`

/** A resolution or a subscription that waited for the locks of the row has the time at which it began to wait. */
const sinceRow = sql`r.applied_at - interval '10 seconds'`

interface CountedImport {
  readonly workspaceId: string
  readonly importId: string
  readonly applyNumber: number
  readonly audienceId: string
}

/** One lookup by its key for each row and table: without statistics the planner would read whole tables. */
const countRows = (
  em: Em,
  { workspaceId, importId, applyNumber, audienceId }: CountedImport,
  { first, last }: RowRange,
): Promise<RowOf<typeof countedColumns>[]> =>
  countPart.rows(
    em,
    prepared(sql`with part as materialized (
          select * from import_rows r where r.workspace_id = ${workspaceId} and r.import_id = ${importId}
             and r.apply_number = ${applyNumber} and r.pass in (${sql.lit(passes.suppressions)}, ${sql.lit(passes.rows)})
             and r.row_number between ${first} and ${last})
        select r.outcome, r.contact, r.reasons, count(*)::int as rows,
               count(c.id) filter (where r.contact is not null)::int as contacts,
               count(*) filter (where e.kind = 'granted')::int as consents,
               count(*) filter (where e.kind = 'granted' and e.reason = 'review_required')::int as consents_for_review,
               count(*) filter (where e.kind = 'withdrawn')::int as withdrawals,
               count(*) filter (where e.kind = 'suppressed')::int as suppressions,
               count(*) filter (where case
                 when m.is_active is not true or m.consent is distinct from 'granted' or m.under_review_since is not null then false
                 else not exists (select from suppressions s
                                   where s.workspace_id = ${workspaceId} and s.contact_id = r.contact_id and s.resolved_at is null
                                     and (s.scope = 'workspace' or s.audience_id = ${audienceId}))
                  and not exists (select from platform_suppressions s
                                   where s.normalized_email = c.normalized_email
                                     and (s.resolved_at is null or s.resolved_at > ${sinceRow}))
                  and not exists (select from consent_events k
                                   where k.workspace_id = ${workspaceId} and k.contact_id = r.contact_id and k.recorded_at > ${sinceRow}
                                     and (k.kind = 'resolved'
                                          or (k.kind = 'granted' and k.audience_id = ${audienceId} and k.source <> ${importSource})))
                 end)::int as brought_back,
               count(*) filter (where case when r.contact is null or c.id is not null then false
                 else r.contact_id not in (select x.contact_id from evidence_erasures x where x.workspace_id = ${workspaceId})
                 end)::int as contacts_lost
          from part r
          left join lateral (select k.id, k.normalized_email from contacts k
                              where k.workspace_id = ${workspaceId} and k.id = r.contact_id limit 1) c on true
          left join lateral (select k.kind, k.reason from consent_events k
                              where k.workspace_id = ${workspaceId} and k.id = r.event_id limit 1) e on true
          left join lateral (select k.is_active, k.consent, k.under_review_since from memberships k
                              where ${wasRefused} and k.workspace_id = ${workspaceId} and k.audience_id = ${audienceId}
                                and k.contact_id = r.contact_id limit 1) m on true
         group by r.outcome, r.contact, r.reasons`),
  )

/**
 * Counts a part of the rows of an import: their results from the ledger, and what is in the tables now, which is the same until
 * somebody changes it.
 */
export async function countImportRows(
  ctx: Ctx,
  req: CountImportRowsRequest,
): Promise<Reply<typeof CountImportRowsResponseSchema>> {
  const { workspaceId } = ctx
  const importId = bodyId('import_id', req.importId)
  const audienceId = bodyId('audience_id', req.audienceId)
  const applyNumber = parseApplyNumber(req.applyNumber)
  const range = parseRange(req)
  const found = await ctx.tx((em) => countRows(em, { workspaceId, importId, applyNumber, audienceId }, range))
  const sum = (name: (typeof effects)[number]) => found.reduce((total, one) => total + one[name], 0)
  return {
    outcomes: found.map(({ outcome, contact, reasons, rows }) => ({
      outcome,
      contact: contact ?? 'none',
      reasons: reasons ?? [],
      rows,
    })),
    effects: {
      contacts: sum('contacts'),
      consents: sum('consents'),
      consentsForReview: sum('consents_for_review'),
      withdrawals: sum('withdrawals'),
      suppressions: sum('suppressions'),
      broughtBack: sum('brought_back'),
      contactsLost: sum('contacts_lost'),
    },
  }
}
