import type { JsonObject } from '@bufbuild/protobuf'
import { rows, sql, type Em } from '@lettergate/database'
import { defineEntity, p } from '@mikro-orm/core'
import { newest, type Listing } from '../identity/newest.ts'

/** What people and jobs did, in every service. Never changed or removed. */
export const AuditEntry = defineEntity({
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
    correlationId: p.string().nullable(),
  },
})

export interface AuditEntryRow {
  id: string
  organization: string | null
  workspace: string | null
  action: string
  subject_type: string
  subject_id: string
  actor: string
  detail: JsonObject
  occurred_at: string
  correlation_id: string | null
}

/** The newest entries that all the conditions name. Needs a system transaction. */
export const newestAuditEntries = (em: Em, listing: Listing): Promise<AuditEntryRow[]> =>
  rows<AuditEntryRow>(em, newest(sql`audit_log`, listing))
