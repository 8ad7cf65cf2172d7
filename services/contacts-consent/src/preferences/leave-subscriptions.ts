import type {
  LeaveSubscriptionsRequest,
  LeaveSubscriptionsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishAll, publishOnce } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { isWithdrawn, withdrawConsent } from '../consent/withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { currentContactId } from '../erasure/erasure.entity.ts'
import { bodyId } from '../values/ids.ts'
import { workspaceLimits } from '../workspaces/workspace-limits.ts'
import { linkUseAudit, recipient } from './link-use-audit.ts'
import { isAged, readPreferenceToken, repeatedUseId, type PreferenceClaim } from './preference-token.ts'
import { holdSubscriptions, type AskedSubscription } from './subscriptions-of.ts'

const via = 'preference_page'

/** The audience ids that a form names, each once. Throws Fault `invalid_argument` for more than a workspace can have. */
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
 * Withdraws the person behind a signed link from the audiences that they chose to leave, all in one transaction: those
 * that they are subscribed to, and the audience of the link as usePreferenceLink does. Any other id changes nothing and
 * looks like one that does not exist. Audiences that are not named keep what they have; nothing is created or restored.
 */
export async function leaveSubscriptions(
  ctx: Ctx,
  req: LeaveSubscriptionsRequest,
): Promise<Reply<typeof LeaveSubscriptionsResponseSchema>> {
  const claim = readPreferenceToken(ctx.config.preferenceSigningKeys, req.token)
  const asked = audienceIdsOf(req)
  if (asked.length === 0) return { left: [] }
  const { workspaceId } = claim
  const now = ctx.now()
  const isExpired = isAged(claim, now, ctx.config.preferenceTokenMaxAgeSeconds)

  const { left, standing } = await ctx.inWorkspace(workspaceId).tx(async (em) => {
    const contactId = await currentContactId(em, workspaceId, claim.contactId)
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) return { left: [], standing: [] }
    const found = await holdSubscriptions(em, workspaceId, contactId, asked)
    const ending = await subscriptionsToEnd(em, found, { ...claim, contactId })
    const use = { contactId, via, isExpired } as const
    if (ending.length === 0) {
      const repeat = linkUseAudit({ ...use, audienceId: claim.audienceId, changed: false })
      await publishOnce(em, AuditRecordedSchema, repeatedUseId(claim, now), repeat)
    }
    const isLeft = (one: AskedSubscription) => one.is_withdrawn || ending.includes(one)
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
      standing: ending.length === 0 ? [] : await withdrawConsent(em, { workspaceId, by: recipient, now }, withdrawals),
    }
  })
  if (standing.length > 0) ctx.counted.unsubscribed(via, standing.length)
  else ctx.counted.linkRepeated(via)
  ctx.counted.suppressed(standing.filter((one) => one.is_new))
  return { left: left.map((one) => ({ audienceId: one.audience_id, audienceName: one.audience_name })) }
}

/** Those that are active, and the link's own audience unless its withdrawal stands already. */
async function subscriptionsToEnd(em: Em, found: readonly AskedSubscription[], claim: PreferenceClaim) {
  const { workspaceId, contactId, audienceId } = claim
  const ofLink = found.find((one) => one.audience_id === audienceId && !one.is_active)
  const isLinkToEnd = ofLink !== undefined && !(await isWithdrawn(em, workspaceId, { contactId, audienceId }))
  return found.filter((one) => one.is_active || (isLinkToEnd && one === ofLink))
}
