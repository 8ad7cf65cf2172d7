import { defineEntity, p } from '@mikro-orm/core'

export const IdempotencyKeys = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    workspaceId: p.uuid().primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    fingerprint: p.text(),
    resourceId: p.uuid(),
    createdAt: p.datetime(),
  },
})
