import { defineEntity, p } from '@mikro-orm/core'

/** One row: the progress of comparing the audit log with its seals, and the newest seal that was ever compared. */
export const AuditLogCheck = defineEntity({
  name: 'AuditLogCheck',
  tableName: 'audit_log_checks',
  properties: {
    id: p.boolean().primary(),
    dueAt: p.datetime(),
    position: p.bigint(),
    sha256: p.text().nullable(),
    knownPosition: p.bigint(),
    knownSha256: p.text().nullable(),
  },
})
