import { defineEntity, p } from '@mikro-orm/core'

/** An erasure of a contact's evidence: the actor and the reason. Only the function `erase_evidence` writes rows. */
export const EvidenceErasure = defineEntity({
  name: 'EvidenceErasure',
  tableName: 'evidence_erasures',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    reason: p.text(),
    actor: p.text(),
    correlationId: p.text(),
    erasedEvents: p.integer(),
    erasedAt: p.datetime(),
  },
})
