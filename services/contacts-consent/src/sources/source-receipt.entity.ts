import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { execute, rows, sql, type Em } from '@lettergate/database'
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
    status: p.text(),
    reasonClass: p.text().nullable(),
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

/** What an answer needs of a receipt, now or when the event comes again. */
export interface Receipt {
  id: string
  source_id: string
  idempotency_key: string
  source_event_id: string
  /** null once the contact was deleted: nothing can be compared with it any more */
  payload_sha256: string | null
  consent_event_id: string
  status: ReceiptStatus
  reason_class: ReasonClass | null
  is_membership_active: boolean
}

export interface ReceiptQuestion {
  sourceId: string
  idempotencyKey: string
  sourceEventId: string
}

/** The receipts under these keys and under these event ids. */
export const findReceipts = (em: Em, workspaceId: string, asked: readonly ReceiptQuestion[]): Promise<Receipt[]> => {
  const columns = sql`r.id, r.source_id, r.idempotency_key, r.source_event_id, r.payload_sha256, r.consent_event_id, r.status,
    r.reason_class, r.is_membership_active`
  // A probe each: without statistics (a fresh database) the planner would rather read every receipt of the workspace.
  return rows<Receipt>(
    em,
    sql`with asked as (
          select * from unnest(${asked.map((one) => one.sourceId)}::uuid[], ${asked.map((one) => one.idempotencyKey)}::text[],
                               ${asked.map((one) => one.sourceEventId)}::uuid[]) as q (source_id, key, event_id))
        select ${columns} from asked q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.idempotency_key = q.key limit 1) r
        union
        select ${columns} from asked q cross join lateral (
          select * from source_receipts k where k.workspace_id = ${workspaceId} and k.source_id = q.source_id
             and k.source_event_id = q.event_id limit 1) r`,
  )
}

/**
 * Parts the receipts from a contact. A trigger takes what could tell who it was with it, and so goes the key, which the
 * source chose; the event is still known by its id. Answers how many there were.
 */
export const eraseReceiptDetails = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  execute(
    em,
    sql`update source_receipts set contact_id = null, idempotency_key = 'erased:' || id
         where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
  )

/** A receipt as operators see it. */
export interface ListedReceipt {
  id: string
  source_event_id: string
  status: ReceiptStatus
  reason_class: ReasonClass | null
  contact_id: string | null
  audience_id: string
  consent_event_id: string
  page_origin: string
  page_path: string | null
  form_id: string
  form_version: string
  wording_id: string
  captured_at: string
  received_at: string
}

/** Newest first, those before the given one. */
export const listReceipts = (
  em: Em,
  workspaceId: string,
  sourceId: string,
  page: { before: string | null; limit: number },
): Promise<ListedReceipt[]> =>
  rows<ListedReceipt>(
    em,
    sql`select id, source_event_id, status, reason_class, contact_id, audience_id, consent_event_id, page_origin, page_path,
               form_id, form_version, wording_id, captured_at, received_at
          from source_receipts
         where workspace_id = ${workspaceId} and source_id = ${sourceId}
           and (${page.before}::uuid is null or id < ${page.before}::uuid)
         order by id desc limit ${page.limit}`,
  )
