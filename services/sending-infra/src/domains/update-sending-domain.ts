import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  UpdateSendingDomainRequest,
  UpdateSendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { domainReply, lockDomain, requireDomain } from '../db/sending-domain.entity.ts'
import { parseDomainName } from './domain-name.ts'
import { givenBy } from '../values/given.ts'
import { parseNotes } from '../values/plain-text.ts'

/** Changes the tracking domain and the notes; null clears them. The name cannot be changed: add another domain instead. */
export async function updateSendingDomain(
  ctx: Ctx,
  req: UpdateSendingDomainRequest,
): Promise<Reply<typeof UpdateSendingDomainResponseSchema>> {
  const { workspaceId } = ctx
  const isGiven = givenBy(req.updateMask)
  const trackingDomain =
    req.trackingDomain === undefined ? null : parseDomainName(req.trackingDomain, 'tracking_domain')
  const notes = parseNotes(req.notes)
  const given = {
    ...(isGiven('tracking_domain', req.trackingDomain) ? { trackingDomain } : {}),
    ...(isGiven('notes', req.notes) ? { notes } : {}),
  }
  return ctx.tx(async (em) => {
    const domain = await lockDomain(em, workspaceId, req.domainId)
    const changed = Object.entries(given).some(([field, value]) => domain[field as keyof typeof given] !== value)
    if (changed) {
      em.assign(domain, given)
      await em.flush()
      await publish(em, AuditRecordedSchema, {
        action: 'sending_domain_updated',
        subjectType: 'sending_domain',
        subjectId: domain.id,
        actor: ctx.caller.actor,
        detail: { tracking_domain: domain.trackingDomain ?? null },
      })
    }
    return { sendingDomain: domainReply(await requireDomain(em, workspaceId, domain.id)) }
  })
}
