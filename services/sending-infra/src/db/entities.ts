import { DomainCheck } from './domain-check.entity.ts'
import { DomainHolder } from './domain-holder.entity.ts'
import { ProviderConnection } from './provider-connection.entity.ts'
import { SenderIdentity } from './sender-identity.entity.ts'
import { SendingDomain } from './sending-domain.entity.ts'

export const entities = [ProviderConnection, SendingDomain, DomainHolder, DomainCheck, SenderIdentity]
