import type {
  UsePreferenceLinkRequest,
  UsePreferenceLinkResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { withdrawConsent } from '../consent/withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { holdAudience } from '../db/audiences.ts'
import { lockContacts } from '../db/contacts.ts'
import { isAged, readPreferenceToken } from '../domain/preference-token.ts'

const recipient = { actor: 'recipient', actorKind: 'recipient' } as const

/**
 * Ends what a signed link names, however old the link is; an aged one is marked `link_expired` in the audit log.
 * Safe to repeat. A link of somebody who is no contact (any more), or of an audience that was deleted, is valid and
 * changes nothing; the audit log has its use where the person is known.
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
  const { workspaceId, contactId, audienceId } = claim
  const scope = audienceId === null ? 'workspace' : 'audience'
  const isExpired = isAged(claim, ctx.now(), ctx.config.preferenceTokenMaxAgeSeconds)

  const standing = await ctx.inWorkspace(workspaceId).tx(async (em) => {
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) return []
    const isThere = audienceId === null || (await holdAudience(em, workspaceId, audienceId)) !== undefined
    const evidence = { via, link_issued_at: claim.issuedAt.toISOString(), link_expired: isExpired }
    const withdrawal = { contactId, audienceId, source: 'preference_link', evidence }
    const by = { workspaceId, by: recipient, now: ctx.now() }
    const left = isThere ? await withdrawConsent(em, by, [withdrawal]) : []
    await publish(em, AuditRecordedSchema, {
      action: 'preference_link_used',
      subjectType: 'contact',
      subjectId: contactId,
      actor: recipient.actor,
      detail: { scope, via, link_expired: isExpired, ...(audienceId === null ? {} : { audience_id: audienceId }) },
    })
    return left
  })
  if (standing.length > 0) ctx.counted.unsubscribed(via)
  ctx.counted.suppressed(standing.filter((one) => one.is_new))
  return { unsubscribed: true, scope }
}
