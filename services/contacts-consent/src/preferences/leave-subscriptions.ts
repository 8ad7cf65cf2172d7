import type {
  LeaveSubscriptionsRequest,
  LeaveSubscriptionsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { isWithdrawn, withdrawConsent } from '../consent/withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { currentContactId } from '../erasure/erasure.entity.ts'
import { bodyId } from '../values/ids.ts'
import { workspaceLimits } from '../workspaces/workspace-limits.ts'
import { auditRepeatedUse, linkUseAudit, recipient } from './link-use-audit.ts'
import { isAged, readPreferenceToken, type PreferenceClaim } from './preference-token.ts'
import { holdSubscriptions, type RequestedSubscription } from './subscriptions-of.ts'

const via = 'preference_page'

/** The audience ids of a form without duplicates. Throws Fault `invalid_argument` above the limit of a workspace. */
function audienceIdsOf({ audienceIds }: LeaveSubscriptionsRequest): string[] {
  const most = workspaceLimits.audiences
  if (audienceIds.length > most) {
    throw new Fault('invalid_argument', 'audience_ids', `audience_ids names more than ${most} audiences. Name fewer.`)
  }
  return [...new Set(audienceIds.map((id) => bodyId('audience_ids', id)))]
}

const evidenceOf = ({ audienceId, issuedAt }: PreferenceClaim, isExpired: boolean) => ({
  via,
  link_issued_at: issuedAt.toISOString(),
  link_expired: isExpired,
  link_scope: audienceId === null ? 'workspace' : 'audience',
  ...(audienceId === null ? {} : { link_audience_id: audienceId }),
})

/**
 * Withdraws the person of a signed link from the chosen audiences, in one transaction: the subscribed ones, and the audience of
 * the link as in usePreferenceLink. Any other id changes nothing, like an unknown id. Other audiences stay unchanged, and no
 * membership is created or restored.
 */
export async function leaveSubscriptions(
  ctx: Ctx,
  req: LeaveSubscriptionsRequest,
): Promise<Reply<typeof LeaveSubscriptionsResponseSchema>> {
  const claim = readPreferenceToken(ctx.config.preferenceSigningKeys, req.token)
  const requested = audienceIdsOf(req)
  if (requested.length === 0) return { left: [] }
  const { workspaceId } = claim
  const now = ctx.now()
  const isExpired = isAged(claim, now, ctx.config.preferenceTokenMaxAgeSeconds)

  const { left, unresolved } = await ctx.inWorkspace(workspaceId).tx(async (em) => {
    const contactId = await currentContactId(em, workspaceId, claim.contactId)
    const use = { contactId, via, isExpired } as const
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) {
      await auditRepeatedUse(em, claim, now, { ...use, audienceId: claim.audienceId })
      return { left: [], unresolved: [] }
    }
    const found = await holdSubscriptions(em, workspaceId, contactId, requested)
    const ending = await subscriptionsToEnd(em, found, { ...claim, contactId })
    if (ending.length === 0) await auditRepeatedUse(em, claim, now, { ...use, audienceId: claim.audienceId })
    const isLeft = (one: RequestedSubscription) => one.is_withdrawn || ending.includes(one)
    const evidence = evidenceOf(claim, isExpired)
    const withdrawals = ending.map((one) => ({
      contactId,
      audienceId: one.audience_id,
      source: 'preference_link',
      evidence,
    }))
    await publishAll(
      em,
      AuditRecordedSchema,
      withdrawals.map(({ audienceId }) => linkUseAudit({ ...use, audienceId, changed: true })),
    )
    return {
      left: found.filter(isLeft),
      unresolved:
        ending.length === 0 ? [] : await withdrawConsent(em, { workspaceId, by: recipient, now }, withdrawals),
    }
  })
  if (unresolved.length > 0) ctx.metrics.unsubscribed(via, unresolved.length)
  else ctx.metrics.linkRepeated(via)
  ctx.metrics.suppressed(unresolved.filter((one) => one.is_new))
  return { left: left.map((one) => ({ audienceId: one.audience_id, audienceName: one.audience_name })) }
}

/** The active subscriptions, and the link's own audience unless its withdrawal is in effect already. */
async function subscriptionsToEnd(em: Em, found: readonly RequestedSubscription[], claim: PreferenceClaim) {
  const { workspaceId, contactId, audienceId } = claim
  const ofLink = found.find((one) => one.audience_id === audienceId && !one.is_active)
  const isLinkToEnd = ofLink !== undefined && !(await isWithdrawn(em, workspaceId, { contactId, audienceId }))
  return found.filter((one) => one.is_active || (isLinkToEnd && one === ofLink))
}
