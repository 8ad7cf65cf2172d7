import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListSourceReceiptsRequest,
  ListSourceReceiptsResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listReceipts, type ListedReceipt } from '../db/source-receipts.ts'
import { findSource } from '../db/subscription-sources.ts'
import { isId, notFound } from '../domain/ids.ts'

const limits = { default: 50, max: 200 } as const

function parsePage({ cursor, limit = limits.default }: ListSourceReceiptsRequest) {
  if (limit < 1 || limit > limits.max) {
    throw new Fault('invalid_argument', 'limit', `limit must be from 1 to ${limits.max}.`)
  }
  if (cursor !== undefined && !isId(cursor)) {
    throw new Fault('invalid_argument', 'cursor', 'cursor must be the next_cursor of an earlier page.')
  }
  return { before: cursor ?? null, limit }
}

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
  capturedAt: timestampFromDate(new Date(receipt.captured_at)),
  receivedAt: timestampFromDate(new Date(receipt.received_at)),
})

/** What a source handed in, newest first, page by page. */
export async function listSourceReceipts(
  ctx: Ctx,
  req: ListSourceReceiptsRequest,
): Promise<Reply<typeof ListSourceReceiptsResponseSchema>> {
  const { workspaceId } = ctx
  const page = parsePage(req)
  const found = await ctx.tx(async (em) => {
    const source = await findSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    return listReceipts(em, workspaceId, source.id, { ...page, limit: page.limit + 1 })
  })
  const receipts = found.slice(0, page.limit)
  return {
    receipts: receipts.map(messageOf),
    nextCursor: found.length > page.limit ? receipts.at(-1)?.id : undefined,
  }
}
