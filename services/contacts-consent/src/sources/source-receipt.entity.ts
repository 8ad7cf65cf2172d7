import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { columns, kyselyOf, listOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { ReasonClass, ReceiptStatus } from './source-outcome.ts'

/** One row for each event of a source that was taken, with the claim as it was made. */
export const SourceReceipt = defineEntity({
  name: 'SourceReceipt',
  tableName: 'source_receipts',
  properties: {
    workspaceId: p.uuid(),
    sourceId: p.uuid().primary(),
    id: p.uuid().primary(),
    idempotencyKey: p.text(),
    sourceEventId: p.uuid(),
    payloadSha256: p.text().nullable(),
    contactId: p.uuid().nullable(),
    audienceId: p.uuid(),
    consentEventId: p.uuid(),
    status: p.text().$type<ReceiptStatus>(),
    reasonClass: p.text().$type<ReasonClass>().nullable(),
    isMembershipActive: p.boolean(),
    wordingId: p.text(),
    wordingSha256: p.text(),
    privacyPolicyUrl: p.text(),
    privacyPolicyVersion: p.text(),
    formId: p.text(),
    formVersion: p.text(),
    pageOrigin: p.text(),
    pagePath: p.text().nullable(),
    evidenceSchemaVersion: p.text(),
    popupCampaignId: p.uuid().nullable(),
    popupVersion: p.bigint().nullable(),
    attribution: p.json<JsonObject>().nullable(),
    capturedAt: p.datetime(),
    correlationId: p.text(),
    receivedAt: p.datetime(),
  },
})

const receiptColumns = columns(
  SourceReceipt,
  'id',
  'source_id',
  'idempotency_key',
  'source_event_id',
  'payload_sha256',
  'consent_event_id',
  'status',
  'reason_class',
  'is_membership_active',
)
const selectReceipts = statement('select-source-receipts-by-key', receiptColumns)
const receiptList = listOf(receiptColumns, 'r')

/**
 * What an answer needs of a receipt, now or when the event comes again. Its `payload_sha256` is null once the contact was
 * deleted: nothing can be compared with it any more.
 */
export type Receipt = RowOf<typeof receiptColumns>

export interface ReceiptQuestion {
  sourceId: string
  idempotencyKey: string
  sourceEventId: string
}

/** The receipts under these keys and under these event ids. */
export const findReceipts = (em: Em, workspaceId: string, asked: readonly ReceiptQuestion[]): Promise<Receipt[]> => {
  // A probe each: without statistics (a fresh database) the planner would rather read every receipt of the workspace.
  return selectReceipts.rows(
    em,
    sql`with asked as (
          select * from unnest(${asked.map((one) => one.sourceId)}::uuid[], ${asked.map((one) => one.idempotencyKey)}::text[],
                               ${asked.map((one) => one.sourceEventId)}::uuid[]) as q (source_id, key, event_id))
        select ${receiptList} from asked q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.idempotency_key = q.key limit 1) r
        union
        select ${receiptList} from asked q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.source_event_id = q.event_id limit 1) r`,
  )
}

const eraseDetails = statement('erase-source-receipt-details')

/**
 * Parts the receipts from a contact. A trigger takes what could tell who it was with it, and so goes the key, which the
 * source chose; the event is still known by its id. Answers how many there were.
 */
export const eraseReceiptDetails = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  eraseDetails.execute(
    em,
    sql`update source_receipts set contact_id = null, idempotency_key = 'erased:' || id
         where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
  )

/** A receipt as operators see it. */
export type ListedReceipt = Awaited<ReturnType<typeof listReceipts>>[number]

/** Newest first, those before the given one. */
export function listReceipts(
  em: Em,
  workspaceId: string,
  sourceId: string,
  page: { before: string | null; limit: number },
) {
  const newest = kyselyOf(em, SourceReceipt)
    .selectFrom('source_receipts')
    .select(['id', 'source_event_id', 'status', 'reason_class', 'contact_id', 'audience_id', 'consent_event_id'])
    .select(['page_origin', 'page_path', 'form_id', 'form_version', 'wording_id', 'captured_at', 'received_at'])
    .where('workspace_id', '=', workspaceId)
    .where('source_id', '=', sourceId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  return (page.before === null ? newest : newest.where('id', '<', page.before)).execute()
}
