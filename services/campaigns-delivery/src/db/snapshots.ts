import { defineEntity, p } from '@mikro-orm/core'

export const Snapshots = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshots',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    runId: p.uuid(),
    campaignId: p.uuid(),
    draftVersion: p.integer(),
    audienceIds: p.array(),
    includedCount: p.integer(),
    excludedCount: p.integer(),
    exclusionCounts: p.json<Record<string, number>>(),
    createdAt: p.datetime(),
  },
})
