import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import {
  columns,
  kyselyOf,
  listOf,
  prepared,
  sql,
  statement,
  unplanned,
  type Em,
  type RowOf,
} from '@lettergate/database'
import type { ReasonClass, ReceiptStatus } from './source-outcome.ts'

/** One row for each recorded event of a source, with the original claim. */
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
 * The columns of a receipt for an answer, also to a replay. `payload_sha256` is null after the contact was deleted, so a replay
 * can no longer be compared.
 */
export type Receipt = RowOf<typeof receiptColumns>

export interface ReceiptQuestion {
  sourceId: string
  idempotencyKey: string
  sourceEventId: string
}

/** The receipts under these keys and under these event ids. */
export const findReceipts = (
  em: Em,
  workspaceId: string,
  requested: readonly ReceiptQuestion[],
): Promise<Receipt[]> => {
  // One index lookup each. Without statistics (a new database), the planner would read every receipt of the workspace.
  return selectReceipts.rows(
    em,
    prepared(sql`with requested as (
          select * from unnest(${unplanned(
            requested.map((one) => one.sourceId),
            'uuid[]',
          )}, ${unplanned(
            requested.map((one) => one.idempotencyKey),
            'text[]',
          )}, ${unplanned(
            requested.map((one) => one.sourceEventId),
            'uuid[]',
          )}) as q (source_id, key, event_id))
        select ${receiptList} from requested q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.idempotency_key = q.key limit 1) r
        union
        select ${receiptList} from requested q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.source_event_id = q.event_id limit 1) r`),
  )
}

const eraseDetails = statement('erase-source-receipt-details')

/**
 * Removes the contact from its receipts. A trigger clears the personal data, and the key of the source is replaced; the event is
 * still identified by its id. Answers the number of receipts.
 */
export const eraseReceiptDetails = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  eraseDetails.execute(
    em,
    sql`update source_receipts set contact_id = null, idempotency_key = 'erased:' || id
         where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
  )

/** A receipt for operators. */
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
