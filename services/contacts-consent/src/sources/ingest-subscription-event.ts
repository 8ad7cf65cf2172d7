import type {
  IngestSubscriptionEventRequest,
  IngestSubscriptionEventResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import type { Admission } from './source-admission.ts'
import { parseSourceEvent, type SourceEvent } from './source-event.ts'
import { presentedOf, requireAdmission } from './require-admission.ts'
import type { Settled } from './settle-event.ts'

/**
 * Records one consented sign-up once. An exact replay gets the first receipt. A caller without access learns nothing about the
 * payload. Refused events are not stored and use no key. It fires no trigger and sends nothing.
 */
export async function ingestSubscriptionEvent(
  ctx: Ctx,
  req: IngestSubscriptionEventRequest,
): Promise<Reply<typeof IngestSubscriptionEventResponseSchema>> {
  try {
    const { receipt, isDuplicate } = await ingest(ctx, req)
    const status = isDuplicate ? 'duplicate' : receipt.status
    ctx.metrics.sourceEvent(status)
    return {
      schemaVersion: 'service.subscription-source-result.v1',
      sourceEventId: receipt.source_event_id,
      receiptId: receipt.id,
      consentEventId: receipt.consent_event_id,
      status,
      audienceMembershipActive: receipt.is_membership_active,
      reasonClass: receipt.reason_class ?? undefined,
      originalStatus: isDuplicate ? receipt.status : undefined,
      correlationId: ctx.caller.correlationId,
    }
  } catch (error) {
    ctx.metrics.sourceEvent(error instanceof Fault && error.code !== 'unavailable' ? 'refused' : 'failed')
    throw error
  }
}

async function ingest(ctx: Ctx, req: IngestSubscriptionEventRequest): Promise<Settled> {
  const { workspaceId, correlationId } = ctx.caller
  const admission: Admission = {
    slug: req.sourceSlug,
    presented: presentedOf(req.presented),
    permission: 'events.write',
  }
  const event = await parsed(ctx, req, admission)
  if (workspaceId !== null) {
    const settled = await ctx.eventIngester.add({
      workspaceId,
      tx: (work) => ctx.tx(work),
      item: { admission, event, correlationId },
    })
    if (settled !== 'unknown_credential') return settled
  }
  await requireAdmission(ctx, admission)
  // The credential was created between the two checks.
  throw new Fault('unavailable', 'credential', 'The credential of this source has just changed. Send the event again.')
}

/** 401, 404 and 403 take precedence over problems of the payload. */
async function parsed(ctx: Ctx, req: IngestSubscriptionEventRequest, admission: Admission): Promise<SourceEvent> {
  try {
    return parseSourceEvent(req, ctx.now())
  } catch (error) {
    if (error instanceof Fault) await requireAdmission(ctx, admission)
    throw error
  }
}
