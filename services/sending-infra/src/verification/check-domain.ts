import type { MessageInitShape } from '@bufbuild/protobuf'
import { AuditRecordedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import type { DomainCheckSchema, SendingDomainSchema } from '@lettergate/contracts/sending/v1/sending'
import { execute, newId, row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { DomainChecks } from '../db/domain-checks.ts'
import { domainReply, requireDomain } from '../db/sending-domains.ts'
import { isPassing } from '../domain/readiness.ts'
import { observeDomain, type Observation } from './observe-domain.ts'
import { connectionOf, subjectOf } from './subject.ts'

export interface CheckReply {
  sendingDomain: MessageInitShape<typeof SendingDomainSchema>
  check: MessageInitShape<typeof DomainCheckSchema>
}

/**
 * Looks at a domain and keeps what was seen. Checks are numbered when they begin: of two at the same time the one that
 * began later has the last word on the domain's states, while each keeps its own evidence. Sends no email.
 */
export async function checkDomain(ctx: Ctx, domainId: string): Promise<CheckReply> {
  const begunAt = ctx.now()
  const { subject, number } = await ctx.tx(async (em) => {
    const domain = await requireDomain(em, ctx.workspaceId, domainId)
    const connection = await connectionOf(em, ctx.workspaceId, domain)
    const begun = await row<{ number: string }>(
      em,
      sql`update sending_domains set checks_begun = checks_begun + 1
           where workspace_id = ${ctx.workspaceId} and id = ${domain.id} returning checks_begun as number`,
    )
    return { subject: subjectOf(ctx, domain, connection), number: Number(begun!.number) }
  })
  const observation = await observeDomain(ctx, subject)
  const reply = await keep(ctx, { domainId: subject.domainId, number, begunAt, observation })
  ctx.measures.domainChecks.inc({ verdict: isPassing(observation.seen) ? 'passed' : 'failed' })
  return reply
}

interface Begun {
  domainId: string
  number: number
  begunAt: Date
  observation: Observation
}

function keep(ctx: Ctx, { domainId, number, begunAt, observation }: Begun): Promise<CheckReply> {
  const { seen, evidence, records } = observation
  const passed = isPassing(seen)
  return ctx.tx(async (em) => {
    const applied = await execute(
      em,
      sql`update sending_domains
             set verification_state = ${seen.verificationState}, spf_state = ${seen.spfState}, dkim_state = ${seen.dkimState}, dmarc_state = ${seen.dmarcState},
                 alignment_state = ${seen.alignmentState}, webhooks_registered = ${seen.webhooksRegistered}, provider_records = ${JSON.stringify(records)}::jsonb,
                 check_applied = ${number}, last_check_passed = ${passed}, checked_at = ${begunAt}
           where workspace_id = ${ctx.workspaceId} and id = ${domainId} and check_applied < ${number}`,
    )
    const domain = await requireDomain(em, ctx.workspaceId, domainId)
    const isReady = passed && domain.quotaState === 'approved'
    const check = em.create(DomainChecks, {
      id: newId(),
      workspaceId: ctx.workspaceId,
      sendingDomainId: domain.id,
      number,
      passed,
      isReady,
      evidence,
      requestedBy: ctx.caller.actor,
      checkedAt: begunAt,
    })
    if (applied > 0) await publish(em, DomainCheckedSchema, { sendingDomainId: domain.id, isReady: domain.isReady })
    await publish(em, AuditRecordedSchema, {
      action: 'sending_domain_verified',
      subjectType: 'sending_domain',
      subjectId: domain.id,
      actor: ctx.caller.actor,
      detail: { check_id: check.id, passed, is_ready: isReady },
    })
    return { sendingDomain: domainReply(domain), check: { id: check.id, isReady, evidence } }
  })
}
