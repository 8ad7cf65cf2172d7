import type { GetSendingDomainRequest, GetSendingDomainResponseSchema } from '@lettergate/contracts/sending/v1/console'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { checkReply, checksOf } from '../db/listed-checks.ts'
import { listedDomains } from '../db/listed-domains.ts'
import { requireDomain } from '../db/sending-domain.entity.ts'
import { webhookUrlOf } from '../provider/provider-webhooks.ts'

/** One domain with the DNS records that the provider requires and the result of the last check. */
export async function getSendingDomain(
  ctx: Ctx,
  req: GetSendingDomainRequest,
): Promise<Reply<typeof GetSendingDomainResponseSchema>> {
  const { workspaceId } = ctx
  const at = { now: ctx.now(), maxAgeHours: ctx.config.domainCheckMaxAgeHours }
  return ctx.tx(
    async (em) => {
      const domain = await requireDomain(em, workspaceId, req.domainId)
      const [listed] = await listedDomains(em, workspaceId, { ...at, id: domain.id })
      const [last] = await checksOf(em, workspaceId, { domainId: domain.id, limit: 1 })
      const { providerConnectionId } = domain
      return {
        ...(listed === undefined ? {} : { sendingDomain: listed }),
        dkimSelector: domain.dkimSelector ?? undefined,
        providerDomainReference: domain.providerDomainReference ?? undefined,
        trackingDomain: domain.trackingDomain ?? undefined,
        notes: domain.notes ?? undefined,
        webhookUrl: providerConnectionId == null ? undefined : webhookUrlOf(ctx.config.baseUrl, providerConnectionId),
        records: [...domain.providerRecords],
        ...(last === undefined ? {} : { lastCheck: checkReply(last) }),
      }
    },
    { isSnapshot: true },
  )
}
