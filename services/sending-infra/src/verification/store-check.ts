import type { MessageInitShape } from '@bufbuild/protobuf'
import { AlertRaisedSchema, AuditRecordedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import type { DomainCheckSchema, SendingDomainSchema } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf, newId, sql, type Em } from '@lettergate/database'
import { endAlert, publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { DomainCheck } from '../db/domain-check.entity.ts'
import { domainReply, lockDomain, requireDomain, SendingDomain } from '../db/sending-domain.entity.ts'
import { problemsOf, isPassing } from '../records/readiness.ts'
import { minutesAfterFailing, minutesAfterPassing } from '../records/recheck.ts'
import type { Observation } from './observe-domain.ts'

/** A check in progress, with the number it got when it began. */
export interface BegunCheck {
  domainId: string
  number: number
  begunAt: Date
}

export interface CheckReply {
  sendingDomain: MessageInitShape<typeof SendingDomainSchema>
  check: MessageInitShape<typeof DomainCheckSchema>
}

/**
 * Stores a check with its evidence, and sets the states of the domain unless a later check did so already. If the domain was
 * ready and no longer is, it raises an alert.
 */
export function storeCheck(ctx: Ctx, begun: BegunCheck, { seen, evidence, records }: Observation): Promise<CheckReply> {
  const { workspaceId } = ctx
  const { domainId, number, begunAt } = begun
  const passed = isPassing(seen)
  const verified = isPassing({ ...seen, webhooksRegistered: true })
  return ctx.tx(async (em) => {
    const before = await lockDomain(em, workspaceId, domainId)
    const again = nextCheck(before, passed, ctx.config.domainCheckMaxAgeHours)
    const { numUpdatedRows: applied } = await kyselyOf(em, SendingDomain)
      .updateTable('sending_domains')
      .set({
        verification_state: seen.verificationState,
        spf_state: seen.spfState,
        dkim_state: seen.dkimState,
        dmarc_state: seen.dmarcState,
        alignment_state: seen.alignmentState,
        webhooks_registered: seen.webhooksRegistered,
        provider_records: sql`${JSON.stringify(records)}::jsonb`,
        check_applied: String(number),
        last_check_passed: passed,
        last_check_verified: verified,
        checked_at: begunAt,
        recheck_at: sql`now() + ${again.minutes}::float8 * interval '1 minute'`,
        recheck_failures: again.failures,
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', domainId)
      .where('check_applied', '<', String(number))
      .executeTakeFirst()
    const { isReady: wasReady, lastCheckPassed, recheckFailures } = before
    const domain = await requireDomain(em, workspaceId, domainId)
    const isReady = passed && domain.quotaState === 'approved'
    const check = em.create(DomainCheck, {
      id: newId(),
      workspaceId,
      sendingDomainId: domain.id,
      number: BigInt(number),
      passed,
      isReady,
      evidence,
      requestedBy: ctx.caller.actor,
      checkedAt: begunAt,
    })
    if (applied > 0) await publish(em, DomainCheckedSchema, { sendingDomainId: domain.id, isReady: domain.isReady })
    if (wasReady && !domain.isReady) await alert(em, domain, check.id)
    if (!wasReady && domain.isReady) await endAlert(em, 'sending_domain_regressed', domain.id)
    if (applied > 0n && lastCheckPassed && recheckFailures > 0)
      await endAlert(em, 'sending_domain_unchecked', domain.id)
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

/** A domain that passes or passed before is checked again automatically. A domain that never passed waits for a person. */
function nextCheck(before: SendingDomain, passed: boolean, maxAgeHours: number) {
  if (passed) return { minutes: minutesAfterPassing(maxAgeHours, Math.random()), failures: 0 }
  if (!before.lastCheckPassed && before.recheckAt == null) return { minutes: null, failures: 0 }
  const failures = before.lastCheckPassed ? 0 : before.recheckFailures
  return { minutes: minutesAfterFailing(failures), failures: failures + 1 }
}

const alert = (em: Em, domain: SendingDomain, checkId: string) =>
  publish(em, AlertRaisedSchema, {
    code: 'sending_domain_regressed',
    severity: 'critical',
    summary: `The sending domain ${domain.domainName} was ready and is not any more: ${problemsOf(domain).join(', ')}. Its runs are held.`,
    about: domain.id,
    detail: {
      sending_domain_id: domain.id,
      domain_name: domain.domainName,
      check_id: checkId,
      not_in_order: problemsOf(domain),
    },
  })
