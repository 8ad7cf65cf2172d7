import { defineEntity, p } from '@mikro-orm/core'
import type { EventKind } from '../domain/delivery/outcome.ts'

export const RunEventCounts = defineEntity({
  name: 'RunEventCount',
  tableName: 'run_event_counts',
  properties: {
    workspaceId: p.uuid().primary(),
    runId: p.uuid().primary(),
    kind: p.text().$type<EventKind>().primary(),
    count: p.integer(),
  },
})
