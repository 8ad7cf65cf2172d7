import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** One look at a sending domain, kept as it was seen. */
export const DomainChecks = defineEntity({
  name: 'DomainCheck',
  tableName: 'domain_checks',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    sendingDomainId: p.uuid(),
    number: p.bigint('number'),
    passed: p.boolean(),
    isReady: p.boolean(),
    evidence: p.json<JsonObject>(),
    requestedBy: p.text(),
    checkedAt: p.datetime(),
  },
})

export type DomainCheck = InferEntity<typeof DomainChecks>
