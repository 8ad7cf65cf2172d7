import { defineEntity, p } from '@mikro-orm/core'

/** Who had the evidence of which contact erased, and why. Rows are written by the function `erase_evidence` alone. */
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
