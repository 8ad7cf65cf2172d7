import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { activateProviderConnection } from './activate-provider-connection.ts'
import { activateSenderIdentity } from './activate-sender-identity.ts'
import { checkProviderConnection } from './check-provider-connection.ts'
import { createProviderConnection } from './create-provider-connection.ts'
import { createSenderIdentity } from './create-sender-identity.ts'
import { createSendingDomain } from './create-sending-domain.ts'
import { getSenderReadiness } from './get-sender-readiness.ts'
import { hasReadySender } from './has-ready-sender.ts'
import { registerSendingDomainWebhooks } from './register-sending-domain-webhooks.ts'
import { resolveProviderConnection } from './resolve-provider-connection.ts'
import { setSendingDomainReadiness } from './set-sending-domain-readiness.ts'
import { verifySendingDomain } from './verify-sending-domain.ts'

export const operations = {
  createProviderConnection,
  checkProviderConnection,
  activateProviderConnection,
  createSendingDomain,
  setSendingDomainReadiness,
  verifySendingDomain,
  registerSendingDomainWebhooks,
  createSenderIdentity,
  activateSenderIdentity,
  getSenderReadiness,
  hasReadySender,
  resolveProviderConnection,
} satisfies Operations<typeof SendingInfra, Ctx>
