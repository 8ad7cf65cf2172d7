import { defineEntity, p } from '@mikro-orm/core'

/** The catalogue of tag names of a workspace; which contact has which stands on the contact. */
export const Tags = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(),
  },
})
