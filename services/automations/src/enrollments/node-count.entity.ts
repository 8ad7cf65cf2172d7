import { defineEntity, p } from '@mikro-orm/core'

/**
 * A count of a version: of contacts at a node (`counted` is their state), of finished steps of a node (their outcome), or of ended
 * enrollments (their end, with an empty `nodeKey`). Triggers maintain it. Each database session writes its own slot, so only the sum
 * of the slots means something.
 */
export const NodeCount = defineEntity({
  name: 'NodeCount',
  tableName: 'node_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    automationId: p.uuid(),
    versionId: p.uuid().primary(),
    nodeKey: p.text().primary(),
    counted: p.text().primary(),
    slot: p.smallint().primary(),
    count: p.bigint(),
  },
})
