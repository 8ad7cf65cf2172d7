import { defineEntity, p } from '@mikro-orm/core'

export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: p.uuid().primary(),
    slug: p.string(),
    name: p.string(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})
