import { AuditRecordedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  SetSendingDomainReadinessRequest,
  SetSendingDomainReadinessResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { endAlert, publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { domainReply, requireDomain } from '../db/sending-domain.entity.ts'
import { parseNotes } from '../values/plain-text.ts'
import { alignmentStates, parseState, quotaStates, recordStates } from '../records/readiness.ts'

/** The given states. A mask, if there is one, says which ones are given. */
function givenStates(req: SetSendingDomainReadinessRequest) {
  const paths = req.updateMask?.paths
  const isGiven = (field: string, value: string | undefined) => (paths ? paths.includes(field) : value !== undefined)
  const record = (field: string, value: string | undefined) =>
    isGiven(field, value) ? parseState(value, recordStates, field) : undefined
  return {
    verificationState: record('verification_state', req.verificationState),
    spfState: record('spf_state', req.spfState),
    dkimState: record('dkim_state', req.dkimState),
    dmarcState: record('dmarc_state', req.dmarcState),
    alignmentState: isGiven('alignment_state', req.alignmentState)
      ? parseState(req.alignmentState, alignmentStates, 'alignment_state')
      : undefined,
    quotaState: isGiven('quota_state', req.quotaState)
      ? parseState(req.quotaState, quotaStates, 'quota_state')
      : undefined,
    notes: isGiven('notes', req.notes) ? parseNotes(req.notes) : undefined,
  }
}

/**
 * Sets the given states as a person decides, and leaves the others. It cannot make a domain ready by itself: only a check sets
 * the webhook registration, and sending also needs a passing check.
 */
export async function setSendingDomainReadiness(
  ctx: Ctx,
  req: SetSendingDomainReadinessRequest,
): Promise<Reply<typeof SetSendingDomainReadinessResponseSchema>> {
  const given = Object.fromEntries(Object.entries(givenStates(req)).filter(([, value]) => value !== undefined))
  return ctx.tx(async (em) => {
    const domain = await requireDomain(em, ctx.workspaceId, req.domainId)
    const wasReady = domain.isReady
    em.assign(domain, given)
    await em.flush()
    const now = await requireDomain(em, ctx.workspaceId, domain.id)
    if (now.isReady !== wasReady)
      await publish(em, DomainCheckedSchema, { sendingDomainId: now.id, isReady: now.isReady })
    if (now.isReady && !wasReady) await endAlert(em, 'sending_domain_regressed', now.id)
    const { notes: _notes, ...states } = given
    await publish(em, AuditRecordedSchema, {
      action: 'sending_domain_readiness_set',
      subjectType: 'sending_domain',
      subjectId: now.id,
      actor: ctx.caller.actor,
      detail: states as Record<string, string>,
    })
    return { sendingDomain: domainReply(now) }
  })
}
