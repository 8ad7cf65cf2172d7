import { DomainChecks } from './domain-checks.ts'
import { DomainHolders } from './domain-holders.ts'
import { ProviderConnections } from './provider-connections.ts'
import { SenderIdentities } from './sender-identities.ts'
import { SendingDomains } from './sending-domains.ts'

export const entities = [ProviderConnections, SendingDomains, DomainHolders, DomainChecks, SenderIdentities]
