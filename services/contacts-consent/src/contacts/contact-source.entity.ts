import { defineEntity, p } from '@mikro-orm/core'

/** Which contact an outside system means by its own identifier. */
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
