import { defineEntity, p } from '@mikro-orm/core'

export const DeliveryBatches = defineEntity({
  name: 'DeliveryBatch',
  tableName: 'delivery_batches',
  properties: {
    runId: p.uuid().primary(),
    batch: p.integer().primary(),
    workspaceId: p.uuid(),
    isSingles: p.boolean(),
    dueAt: p.datetime(),
    publishedAt: p.datetime().nullable(),
    doneAt: p.datetime().nullable(),
  },
})
