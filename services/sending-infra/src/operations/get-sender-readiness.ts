import type { GetSenderReadinessRequest, SenderReadinessSchema } from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import { requireSender } from '../db/sender-identity.entity.ts'
import { requireDomain, type SendingDomain } from '../db/sending-domain.entity.ts'
import { namableKeys } from '../verification/provider-keys.ts'
import { isCheckCurrent, isPassing } from '../domain/readiness.ts'

/**
 * Everything a hand-off needs to know of a sender, as it is this moment. Judges nothing: the caller refuses what is not in
 * order. A connection whose key its organization may not name is shown as failed, without that key.
 */
export async function getSenderReadiness(
  ctx: Ctx,
  req: GetSenderReadinessRequest,
): Promise<Reply<typeof SenderReadinessSchema>> {
  const mayName = await namableKeys(ctx)
  return ctx.tx(async (em) => {
    const { workspaceId } = ctx
    const sender = await requireSender(em, workspaceId, req.senderIdentityId)
    const domain = await requireDomain(em, workspaceId, sender.sendingDomainId)
    const connection =
      domain.providerConnectionId == null
        ? null
        : await em.findOne(ProviderConnection, { workspaceId, id: domain.providerConnectionId })
    const isAllowed = connection !== null && mayName(connection.credentialEnvKey)
    const signingKey = connection?.webhookSigningEnvKey ?? null
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
      connectionIsActive: isAllowed && connection.isActive,
      connectionState: connection === null ? 'unchecked' : isAllowed ? connection.connectionState : 'failed',
      region: connection?.region ?? '',
      credentialEnvKey: isAllowed ? connection.credentialEnvKey : '',
      ...(signingKey !== null && mayName(signingKey) ? { webhookSigningEnvKey: signingKey } : {}),
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
