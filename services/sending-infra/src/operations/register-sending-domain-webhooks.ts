import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  RegisterSendingDomainWebhooksRequest,
  RegisterSendingDomainWebhooksResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireDomain } from '../db/sending-domains.ts'
import { obstacleFault } from '../domain/provider-problem.ts'
import { planWebhooks, type WebhookPlan } from '../domain/provider-webhooks.ts'
import { checkDomain } from '../verification/check-domain.ts'
import { connectionOf, subjectOf, type Subject } from '../verification/subject.ts'

async function register(ctx: Ctx, { access, domainName, webhookUrl }: Subject): Promise<WebhookPlan> {
  const registered = await ctx.provider.listWebhooks(access, domainName, ctx.signal)
  if (!registered.ok) throw obstacleFault(registered.problem)
  const plan = planWebhooks(registered.value, webhookUrl)
  for (const change of plan.set) {
    const answer = await ctx.provider.setWebhook(access, domainName, change, ctx.signal)
    if (!answer.ok) throw obstacleFault(answer.problem)
  }
  return plan
}

/**
 * Adds this workspace's webhook URL to each of the eight kinds of events that lacks it, takes none away, and then checks
 * the domain. Kinds that are full come back as `refused`. Safe to repeat; what was registered before a failure stays.
 */
export async function registerSendingDomainWebhooks(
  ctx: Ctx,
  req: RegisterSendingDomainWebhooksRequest,
): Promise<Reply<typeof RegisterSendingDomainWebhooksResponseSchema>> {
  const subject = await ctx.tx(async (em) => {
    const domain = await requireDomain(em, ctx.workspaceId, req.domainId)
    return subjectOf(ctx, domain, await connectionOf(em, ctx.workspaceId, domain))
  })
  const plan = await register(ctx, subject)
  await ctx.tx((em) =>
    publish(em, AuditRecordedSchema, {
      action: 'sending_domain.webhooks_registered',
      subjectType: 'sending_domain',
      subjectId: subject.domainId,
      actor: ctx.caller.actor,
      detail: { added: plan.set.map((change) => change.event), refused: [...plan.refused] },
    }),
  )
  return { ...(await checkDomain(ctx, subject.domainId)), refused: [...plan.refused] }
}
