import { defineEntity, p } from '@mikro-orm/core'

export const RunTimeline = defineEntity({
  name: 'RunTimeline',
  tableName: 'run_timeline',
  properties: {
    workspaceId: p.uuid(),
    runId: p.uuid().primary(),
    kind: p.text().primary(),
    minute: p.datetime().primary(),
    slot: p.smallint().primary(),
    people: p.bigint(),
  },
})
