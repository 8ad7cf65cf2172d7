import type {
  UsePreferenceLinkRequest,
  UsePreferenceLinkResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isWithdrawn, withdrawConsent } from '../consent/withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { holdAudience } from '../audiences/audience.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { currentContactId } from '../erasure/erasure.entity.ts'
import { auditRepeatedUse, linkUseAudit, recipient } from './link-use-audit.ts'
import { isAged, readPreferenceToken } from './preference-token.ts'

/**
 * Withdraws consent with a signed link of any age. An aged link is marked `link_expired` in the audit log. A use without a change
 * (the withdrawal is in effect, or the contact or audience no longer exists) appends nothing to the record. Such
 * uses are audited once a day for each link. A link from before an erasure applies to the person's new contact.
 */
export async function usePreferenceLink(
  ctx: Ctx,
  req: UsePreferenceLinkRequest,
): Promise<Reply<typeof UsePreferenceLinkResponseSchema>> {
  const { via } = req
  if (via !== 'one_click' && via !== 'preference_page') {
    throw new Fault('invalid_argument', 'via', 'via must be one_click or preference_page.')
  }
  const claim = readPreferenceToken(ctx.config.preferenceSigningKeys, req.token)
  const { workspaceId, audienceId } = claim
  const scope = audienceId === null ? 'workspace' : 'audience'
  const now = ctx.now()
  const isExpired = isAged(claim, now, ctx.config.preferenceTokenMaxAgeSeconds)

  const unresolved = await ctx.inWorkspace(workspaceId).tx(async (em) => {
    const contactId = await currentContactId(em, workspaceId, claim.contactId)
    const isKnown = (await lockContacts(em, workspaceId, [contactId])).has(contactId)
    const isThere = audienceId === null || (await holdAudience(em, workspaceId, audienceId)) !== undefined
    const changed = isKnown && isThere && !(await isWithdrawn(em, workspaceId, { contactId, audienceId }))
    const use = { contactId, audienceId, via, isExpired } as const
    if (!changed) {
      await auditRepeatedUse(em, claim, now, use)
      return []
    }
    await publish(em, AuditRecordedSchema, linkUseAudit({ ...use, changed }))
    const evidence = { via, link_issued_at: claim.issuedAt.toISOString(), link_expired: isExpired }
    const withdrawal = { contactId, audienceId, source: 'preference_link', evidence }
    return withdrawConsent(em, { workspaceId, by: recipient, now }, [withdrawal])
  })
  if (unresolved.length > 0) ctx.metrics.unsubscribed(via)
  else ctx.metrics.linkRepeated(via)
  ctx.metrics.suppressed(unresolved.filter((one) => one.is_new))
  return { unsubscribed: true, scope }
}
