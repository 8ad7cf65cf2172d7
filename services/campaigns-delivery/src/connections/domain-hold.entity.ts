import { defineEntity, p } from '@mikro-orm/core'
import type { HoldReason } from './backoff.ts'

export const DomainHold = defineEntity({
  name: 'DomainHold',
  tableName: 'domain_holds',
  properties: {
    workspaceId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    domainName: p.text().primary(),
    until: p.datetime(),
    failures: p.integer(),
    reason: p.text().$type<HoldReason>(),
    updatedAt: p.datetime(),
  },
})
