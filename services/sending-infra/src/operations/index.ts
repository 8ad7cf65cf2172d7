import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { activateProviderConnection } from './activate-provider-connection.ts'
import { activateSenderIdentity } from './activate-sender-identity.ts'
import { checkProviderConnection } from './check-provider-connection.ts'
import { createProviderConnection } from './create-provider-connection.ts'
import { createSenderIdentity } from './create-sender-identity.ts'
import { createSendingDomain } from './create-sending-domain.ts'
import { deleteProviderConnection } from './delete-provider-connection.ts'
import { deleteSenderIdentity } from './delete-sender-identity.ts'
import { deleteSendingDomain } from './delete-sending-domain.ts'
import { getSenderReadiness } from './get-sender-readiness.ts'
import { getSendingDomain } from './get-sending-domain.ts'
import { hasReadySender } from './has-ready-sender.ts'
import { listDomainChecks } from './list-domain-checks.ts'
import { listProviderConnections } from './list-provider-connections.ts'
import { listSenderIdentities } from './list-sender-identities.ts'
import { listSendingDomains } from './list-sending-domains.ts'
import { registerSendingDomainWebhooks } from './register-sending-domain-webhooks.ts'
import { resolveProviderConnection } from './resolve-provider-connection.ts'
import { setSendingDomainProvider } from './set-sending-domain-provider.ts'
import { setSendingDomainReadiness } from './set-sending-domain-readiness.ts'
import { updateProviderConnection } from './update-provider-connection.ts'
import { updateSenderIdentity } from './update-sender-identity.ts'
import { updateSendingDomain } from './update-sending-domain.ts'
import { verifySendingDomain } from './verify-sending-domain.ts'

/** What this service answers. A route of the gateway leads to each, unless the comment says who asks instead. */
export const operations = {
  createProviderConnection,
  checkProviderConnection,
  activateProviderConnection,
  updateProviderConnection,
  deleteProviderConnection,
  listProviderConnections,
  createSendingDomain,
  setSendingDomainReadiness,
  setSendingDomainProvider,
  updateSendingDomain,
  deleteSendingDomain,
  listSendingDomains,
  getSendingDomain,
  listDomainChecks,
  verifySendingDomain,
  registerSendingDomainWebhooks,
  createSenderIdentity,
  activateSenderIdentity,
  updateSenderIdentity,
  deleteSenderIdentity,
  listSenderIdentities,

  // asked by campaigns-delivery
  getSenderReadiness,
  // asked by the gateway itself
  hasReadySender,
  // asked by webhook-intake
  resolveProviderConnection,
} satisfies Operations<typeof SendingInfra, Ctx>
