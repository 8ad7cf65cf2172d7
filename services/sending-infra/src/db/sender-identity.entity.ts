import { defineEntity, LockMode, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { SenderIdentitySchema } from '@lettergate/contracts/sending/v1/sending'
import type { Em } from '@lettergate/database'
import { missing } from '../values/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import { senderStateOf } from '../records/readiness.ts'
import type { SendingDomain } from './sending-domain.entity.ts'

export const SenderIdentity = defineEntity({
  name: 'SenderIdentity',
  tableName: 'sender_identities',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    sendingDomainId: p.uuid(),
    displayName: p.text(),
    fromAddress: p.text(),
    replyTo: p.text(),
    isEnabled: p.boolean().default(false),
    enabledAt: p.datetime().nullable(),
    enabledBy: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type SenderIdentity = InferEntity<typeof SenderIdentity>

/** The sender of this workspace with this id. Throws the same 404 for an unknown id and for another tenant's sender. */
export async function requireSender(
  em: Em,
  workspaceId: string,
  id: string,
  lockMode = LockMode.NONE,
): Promise<SenderIdentity> {
  const found = isUuid(id) ? await em.findOne(SenderIdentity, { workspaceId, id }, { refresh: true, lockMode }) : null
  if (!found) throw missing('sender identity')
  return found
}

/** The same, locked against changes until the transaction ends. */
export async function lockSender(em: Em, workspaceId: string, id: string): Promise<SenderIdentity> {
  return requireSender(em, workspaceId, id, LockMode.PESSIMISTIC_WRITE)
}

export const senderReply = (
  sender: SenderIdentity,
  domain: SendingDomain,
): MessageInitShape<typeof SenderIdentitySchema> => ({
  id: sender.id,
  displayName: sender.displayName,
  fromAddress: sender.fromAddress,
  replyTo: sender.replyTo,
  verificationState: senderStateOf(domain.verificationState),
  isEnabled: sender.isEnabled,
})
