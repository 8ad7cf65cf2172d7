import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from './ctx.ts'
import { activateProviderConnection } from './connections/activate-provider-connection.ts'
import { checkProviderConnection } from './connections/check-provider-connection.ts'
import { createProviderConnection } from './connections/create-provider-connection.ts'
import { deleteProviderConnection } from './connections/delete-provider-connection.ts'
import { listProviderConnections } from './connections/list-provider-connections.ts'
import { resolveProviderConnection } from './connections/resolve-provider-connection.ts'
import { updateProviderConnection } from './connections/update-provider-connection.ts'
import { createSendingDomain } from './domains/create-sending-domain.ts'
import { deleteSendingDomain } from './domains/delete-sending-domain.ts'
import { getSendingDomain } from './domains/get-sending-domain.ts'
import { listSendingDomains } from './domains/list-sending-domains.ts'
import { registerSendingDomainWebhooks } from './domains/register-sending-domain-webhooks.ts'
import { setSendingDomainProvider } from './domains/set-sending-domain-provider.ts'
import { setSendingDomainReadiness } from './domains/set-sending-domain-readiness.ts'
import { updateSendingDomain } from './domains/update-sending-domain.ts'
import { activateSenderIdentity } from './senders/activate-sender-identity.ts'
import { createSenderIdentity } from './senders/create-sender-identity.ts'
import { deleteSenderIdentity } from './senders/delete-sender-identity.ts'
import { getSenderReadiness } from './senders/get-sender-readiness.ts'
import { hasEnabledSender } from './senders/has-enabled-sender.ts'
import { hasReadySender } from './senders/has-ready-sender.ts'
import { listSenderIdentities } from './senders/list-sender-identities.ts'
import { updateSenderIdentity } from './senders/update-sender-identity.ts'
import { listDomainChecks } from './verification/list-domain-checks.ts'
import { verifySendingDomain } from './verification/verify-sending-domain.ts'

/** The operations of this service, by feature. The gateway has a route to each, unless the comment names another caller. */
export const operations = {
  // connections
  createProviderConnection,
  checkProviderConnection,
  activateProviderConnection,
  updateProviderConnection,
  deleteProviderConnection,
  listProviderConnections,
  // connections, called by webhook-intake
  resolveProviderConnection,

  // domains
  createSendingDomain,
  setSendingDomainReadiness,
  setSendingDomainProvider,
  updateSendingDomain,
  deleteSendingDomain,
  listSendingDomains,
  getSendingDomain,
  registerSendingDomainWebhooks,

  // verification
  listDomainChecks,
  verifySendingDomain,

  // senders
  createSenderIdentity,
  activateSenderIdentity,
  updateSenderIdentity,
  deleteSenderIdentity,
  listSenderIdentities,
  // senders, called by campaigns-delivery
  getSenderReadiness,
  // senders, called by the gateway itself
  hasReadySender,
  // senders, called by imports
  hasEnabledSender,
} satisfies Operations<typeof SendingInfra, Ctx>
