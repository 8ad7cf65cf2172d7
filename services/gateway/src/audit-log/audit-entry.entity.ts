import type { JsonObject } from '@bufbuild/protobuf'
import { columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { defineEntity, p } from '@mikro-orm/core'
import { newest, slugColumns, type Listing } from '../identity/newest.ts'

/** The actions of users and jobs in every service. Rows are never changed or deleted. */
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
    /** human, agent, service, source, recipient, provider or system; null for entries of earlier releases */
    actorKind: p.string().nullable(),
    /** bearer, session, service or source; null without a request */
    authMethod: p.string().nullable(),
    detail: p.json<JsonObject>(),
    occurredAt: p.datetime(),
    recordedAt: p.datetime().defaultRaw('now()'),
    correlationId: p.string().nullable(),
    traceId: p.string().nullable(),
  },
})

const entryColumns = { ...columns(AuditEntry), ...slugColumns }
const selectEntries = statement('select-newest-audit-entries', entryColumns)
export type AuditEntryRow = RowOf<typeof entryColumns>

/** The newest entries that match all conditions. Needs a system transaction. */
export const newestAuditEntries = (em: Em, listing: Listing): Promise<AuditEntryRow[]> =>
  selectEntries.rows(em, newest(sql`audit_log`, listing))
