import { defineEntity, p } from '@mikro-orm/core'

/** The contact that belongs to an identifier of an external system. */
export const ContactSource = defineEntity({
  name: 'ContactSource',
  tableName: 'contact_sources',
  properties: {
    workspaceId: p.uuid().primary(),
    source: p.text().primary(),
    sourceIdentifier: p.text().primary(),
    contactId: p.uuid(),
  },
})
