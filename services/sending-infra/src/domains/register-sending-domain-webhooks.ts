import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  RegisterSendingDomainWebhooksRequest,
  RegisterSendingDomainWebhooksResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireDomain } from '../db/sending-domain.entity.ts'
import { obstacleFault } from '../provider/provider-problem.ts'
import { planWebhooks, type WebhookEvent } from '../provider/provider-webhooks.ts'
import type { ProviderProblem } from '../provider/mailgun/mailgun.ts'
import { checkDomain } from '../verification/check-domain.ts'
import { allowedKeys } from '../connections/provider-keys.ts'
import { connectionOf, checkInputOf, type CheckInput } from '../verification/subject.ts'

const roundsMax = 4

/** Reads the lists, adds our URL, and reads again until none is missing. Other clients may change the lists, and the provider has no locks. */
async function register(ctx: Ctx, { access, domainName, webhookUrl }: CheckInput): Promise<Registered> {
  const added = new Set<WebhookEvent>()
  for (let round = 1; ; round += 1) {
    const registered = await ctx.provider.listWebhooks(access, domainName, ctx.signal)
    if (!registered.ok) throw obstacleFault(registered.problem)
    const plan = planWebhooks(registered.value, webhookUrl)
    if (plan.set.length === 0) return { added: [...added], refused: [...plan.refused] }
    for (const change of plan.set) {
      const answer = await ctx.provider.setWebhook(access, domainName, change, ctx.signal)
      if (answer.ok) added.add(change.event)
      else if (round === roundsMax || !hasChanged(answer.problem)) throw obstacleFault(answer.problem)
    }
    if (round === roundsMax) return { added: [...added], refused: [...plan.refused] }
  }
}

/** The list changed before the write: a first URL existed already, or the last one was removed. */
const hasChanged = (problem: ProviderProblem) => problem === 'refused' || problem === 'not_found'

interface Registered {
  added: WebhookEvent[]
  refused: WebhookEvent[]
}

/**
 * Adds the webhook URL of the connection to each of the eight kinds of events that does not have it, removes no URL, and then
 * checks the domain. Kinds with the maximum number of URLs are returned as `refused`. Safe to repeat. URLs that were registered
 * before a failure stay.
 */
export async function registerSendingDomainWebhooks(
  ctx: Ctx,
  req: RegisterSendingDomainWebhooksRequest,
): Promise<Reply<typeof RegisterSendingDomainWebhooksResponseSchema>> {
  const isAllowedKey = await allowedKeys(ctx)
  const subject = await ctx.tx(async (em) => {
    const domain = await requireDomain(em, ctx.workspaceId, req.domainId)
    return checkInputOf(ctx, domain, await connectionOf(em, ctx.workspaceId, domain), isAllowedKey)
  })
  const { added, refused } = await register(ctx, subject)
  await ctx.tx((em) =>
    publish(em, AuditRecordedSchema, {
      action: 'sending_domain_webhooks_registered',
      subjectType: 'sending_domain',
      subjectId: subject.domainId,
      actor: ctx.caller.actor,
      detail: { added, refused },
    }),
  )
  return { ...(await checkDomain(ctx, subject.domainId)), refused }
}
