import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** What people and jobs did, in every service. Never changed or removed. */
export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid().nullable(),
    action: p.string(),
    subjectType: p.string(),
    subjectId: p.string(),
    actor: p.string(),
    detail: p.json<JsonObject>(),
    occurredAt: p.datetime(),
    recordedAt: p.datetime(),
  },
})
