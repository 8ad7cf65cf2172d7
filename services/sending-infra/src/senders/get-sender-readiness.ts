import type { GetSenderReadinessRequest, SenderReadinessSchema } from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import { requireSender } from '../db/sender-identity.entity.ts'
import { requireDomain, type SendingDomain } from '../db/sending-domain.entity.ts'
import { allowedKeys } from '../connections/provider-keys.ts'
import { isCheckCurrent, isPassing } from '../records/readiness.ts'

/**
 * The current state of a sender, for a hand-off. It decides nothing: the caller refuses a sender that is not in order. A
 * connection with a key that its organization may not use is shown as failed, without the key.
 */
export async function getSenderReadiness(
  ctx: Ctx,
  req: GetSenderReadinessRequest,
): Promise<Reply<typeof SenderReadinessSchema>> {
  const isAllowedKey = await allowedKeys(ctx)
  return ctx.tx(async (em) => {
    const { workspaceId } = ctx
    const sender = await requireSender(em, workspaceId, req.senderIdentityId)
    const domain = await requireDomain(em, workspaceId, sender.sendingDomainId)
    const connection =
      domain.providerConnectionId == null
        ? null
        : await em.findOne(ProviderConnection, { workspaceId, id: domain.providerConnectionId })
    const isAllowed = connection !== null && isAllowedKey(connection.credentialEnvKey)
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
      // without a connection, sending is not allowed
      providerConnectionId: connection?.id ?? '',
      connectionIsActive: isAllowed && connection.isActive,
      connectionState: connection === null ? 'unchecked' : isAllowed ? connection.connectionState : 'failed',
      region: connection?.region ?? '',
      credentialEnvKey: isAllowed ? connection.credentialEnvKey : '',
      ...(signingKey !== null && isAllowedKey(signingKey) ? { webhookSigningEnvKey: signingKey } : {}),
    }
  })
}

/**
 * Whether the last check verified the domain, and no person has set another state since. The quota and the webhooks are not
 * part of the verification.
 */
function isVerified(domain: SendingDomain, now: Date, maxAgeHours: number): boolean {
  const passed = domain.lastCheckVerified && isPassing({ ...domain, webhooksRegistered: true })
  return isCheckCurrent({ checkedAt: domain.checkedAt ?? null, lastCheckPassed: passed }, now, maxAgeHours)
}
