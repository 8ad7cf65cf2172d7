import type {
  ListSourceReceiptsRequest,
  ListSourceReceiptsResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listReceipts, type ListedReceipt } from './source-receipt.entity.ts'
import { findSource } from './subscription-source.entity.ts'
import { notFound } from '../values/ids.ts'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { moment } from '@lettergate/values/moment'

const list = 'source_receipts'

const messageOf = (receipt: ListedReceipt) => ({
  id: receipt.id,
  sourceEventId: receipt.source_event_id,
  status: receipt.status,
  reasonClass: receipt.reason_class ?? undefined,
  contactId: receipt.contact_id ?? undefined,
  audienceId: receipt.audience_id,
  consentEventId: receipt.consent_event_id,
  pageOrigin: receipt.page_origin,
  pagePath: receipt.page_path ?? undefined,
  formId: receipt.form_id,
  formVersion: receipt.form_version,
  wordingId: receipt.wording_id,
  capturedAt: moment(receipt.captured_at),
  receivedAt: moment(receipt.received_at),
})

/** One page of the events of a source, newest first. */
export async function listSourceReceipts(
  ctx: Ctx,
  req: ListSourceReceiptsRequest,
): Promise<Reply<typeof ListSourceReceiptsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const before = parseCursor(list, req.cursor)
  const found = await ctx.tx(async (em) => {
    const source = await findSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    return listReceipts(em, workspaceId, source.id, { before, limit: limit + 1 })
  })
  const { page, nextCursor } = pageOf(list, found, limit)
  return { receipts: page.map(messageOf), nextCursor }
}
