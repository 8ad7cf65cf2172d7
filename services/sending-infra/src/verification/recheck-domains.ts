import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { columns, kyselyOf, prepared, sql, statement, type RowOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { lockDomain, SendingDomain } from '../db/sending-domain.entity.ts'
import { minutesAfterNoAnswer, noAnswersUntilAlert } from '../records/recheck.ts'
import { checkDomainIfConclusive } from './check-domain.ts'

/** A replica that takes a domain has this long. After that the domain is due again for any replica. A check takes at most 17 s. */
const leaseSeconds = 60

/**
 * Checks every due domain again, a few at the same time, until none is left. Any number of replicas may run it: a replica takes a
 * domain by moving its due time, so only one replica checks it. A check without an answer changes no state and is retried.
 */
async function recheckDue(ctx: Ctx, isStopping: () => boolean): Promise<void> {
  const take = () => (isStopping() ? undefined : takeDue(ctx))
  const checkAll = async (first?: DueDomain) => {
    for (let due = first ?? (await take()); due !== undefined; due = await take()) {
      await recheck(ctx.inWorkspace(due.workspace_id), due.id)
    }
  }
  const first = await take()
  if (!first) return
  const others = Array.from({ length: ctx.config.domainRecheckConcurrency - 1 }, () => checkAll())
  await Promise.all([checkAll(first), ...others])
}

/** Looks for due domains every four seconds. `stop` waits for the checks in progress and starts no new ones. */
export function recheckDomains(service: Service, ctxOf: (job: string) => Ctx): Part {
  const name = 'recheck-domains'
  let isStopping = false
  const job = repeat(service, name, 4_000, () => recheckDue(ctxOf(name), () => isStopping))
  return {
    async stop() {
      isStopping = true
      await job.stop()
    },
  }
}

const dueColumns = columns(SendingDomain, 'workspace_id', 'id')
const takeDueDomain = statement('take-due-domain', dueColumns)
type DueDomain = RowOf<typeof dueColumns>

const takeDue = (ctx: Ctx): Promise<DueDomain | undefined> =>
  ctx.tx((em) =>
    takeDueDomain.row(
      em,
      prepared(sql`with due as (select workspace_id, id from sending_domains where recheck_at <= now() order by recheck_at limit 1 for update skip locked)
          update sending_domains d set recheck_at = now() + ${leaseSeconds} * interval '1 second'
            from due where d.workspace_id = due.workspace_id and d.id = due.id returning d.workspace_id, d.id`),
    ),
  )

async function recheck(ctx: Ctx, domainId: string): Promise<void> {
  try {
    if (!(await checkDomainIfConclusive(ctx, domainId))) await postpone(ctx, domainId, 'dns_silent')
  } catch (error) {
    // The domain was deleted in the meantime.
    if (error instanceof Fault && error.code === 'not_found') return
    if (error instanceof Fault && error.code === 'failed_precondition')
      return await postpone(ctx, domainId, error.reason)
    ctx.log.error({ err: error, sending_domain_id: domainId }, 'a sending domain could not be checked again')
  }
}

/** These reasons do not disappear by themselves, so the alert is raised at once. */
const needPeople = new Set([
  'provider_missing_credential',
  'provider_credential_not_allowed',
  'provider_credential_refused',
  'provider_connection',
])

async function postpone(ctx: Ctx, domainId: string, reason: string): Promise<void> {
  const { workspaceId } = ctx
  await ctx.tx(async (em) => {
    const { id, domainName, recheckFailures, lastCheckPassed } = await lockDomain(em, workspaceId, domainId)
    await kyselyOf(em, SendingDomain)
      .updateTable('sending_domains')
      .set((eb) => ({
        recheck_at: sql`now() + ${minutesAfterNoAnswer(recheckFailures)}::float8 * interval '1 minute'`,
        recheck_failures: eb('recheck_failures', '+', 1),
      }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute()
    ctx.log.warn({ sending_domain_id: id, reason }, 'a sending domain could not be checked again; it will be retried')
    const failures = recheckFailures + 1
    if (lastCheckPassed && failures === (needPeople.has(reason) ? 1 : noAnswersUntilAlert)) {
      await publish(em, AlertRaisedSchema, {
        code: 'sending_domain_unchecked',
        severity: 'warning',
        summary: `The sending domain ${domainName} could not be checked again. When its last check is too old, its runs are held.`,
        about: id,
        detail: { sending_domain_id: id, domain_name: domainName, reason },
      })
    }
  })
}
