import type { ServiceSchema } from '@lettergate/database/migrate'
import { Identity } from './migrations/001-identity.ts'
import { AuditLogAndAlertLists } from './migrations/002-audit-log-and-alert-lists.ts'

export const schema: ServiceSchema = {
  service: 'gateway',
  schema: 'identity',
  role: 'identity',
  migrations: [
    { name: '001-identity', class: Identity },
    { name: '002-audit-log-and-alert-lists', class: AuditLogAndAlertLists },
  ],
}
