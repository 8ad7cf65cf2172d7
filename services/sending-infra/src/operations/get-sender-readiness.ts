import type { GetSenderReadinessRequest, SenderReadinessSchema } from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnections } from '../db/provider-connections.ts'
import { requireSender } from '../db/sender-identities.ts'
import { requireDomain, type SendingDomain } from '../db/sending-domains.ts'
import { isCheckCurrent, isPassing } from '../domain/readiness.ts'

/** Everything a hand-off needs to know of a sender, as it is this moment. Judges nothing: the caller refuses what is not in order. */
export async function getSenderReadiness(
  ctx: Ctx,
  req: GetSenderReadinessRequest,
): Promise<Reply<typeof SenderReadinessSchema>> {
  return ctx.tx(async (em) => {
    const { workspaceId } = ctx
    const sender = await requireSender(em, workspaceId, req.senderIdentityId)
    const domain = await requireDomain(em, workspaceId, sender.sendingDomainId)
    const connection =
      domain.providerConnectionId == null
        ? null
        : await em.findOne(ProviderConnections, { workspaceId, id: domain.providerConnectionId })
    return {
      senderIdentityId: sender.id,
      isEnabled: sender.isEnabled,
      displayName: sender.displayName,
      fromAddress: sender.fromAddress,
      replyTo: sender.replyTo,
      sendingDomainId: domain.id,
      domainName: domain.domainName,
      domainIsReady: domain.isReady,
      domainCheckIsCurrent: isCheckCurrent(domain, ctx.now(), ctx.config.domainCheckMaxAgeHours),
      domainIsVerified: isVerified(domain, ctx.now(), ctx.config.domainCheckMaxAgeHours),
      // without a connection everything about it is closed
      providerConnectionId: connection?.id ?? '',
      connectionIsActive: connection?.isActive ?? false,
      connectionState: connection?.connectionState ?? 'unchecked',
      region: connection?.region ?? '',
      credentialEnvKey: connection?.credentialEnvKey ?? '',
      ...(connection?.webhookSigningEnvKey == null ? {} : { webhookSigningEnvKey: connection.webhookSigningEnvKey }),
    }
  })
}

/**
 * Whether the last check saw the domain to be ours, and nobody says otherwise since. The quota and the webhooks are what
 * mail to many needs, not what makes a domain ours.
 */
function isVerified(domain: SendingDomain, now: Date, maxAgeHours: number): boolean {
  const stands = domain.lastCheckVerified && isPassing({ ...domain, webhooksRegistered: true })
  return isCheckCurrent({ checkedAt: domain.checkedAt ?? null, lastCheckPassed: stands }, now, maxAgeHours)
}
