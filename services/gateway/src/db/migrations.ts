import type { ServiceSchema } from '@lettergate/database/migrate'
import { Identity } from './migrations/001-identity.ts'
import { AuditLogAndAlertLists } from './migrations/002-audit-log-and-alert-lists.ts'
import { AuthenticateWithoutSuperuser } from './migrations/003-authenticate-without-superuser.ts'
import { DeadLetterStates } from './migrations/004-dead-letter-states.ts'
import { OutboxWrittenOnce } from './migrations/005-outbox-written-once.ts'
import { AlertsThatEnd } from './migrations/006-alerts-that-end.ts'
import { AuditLogChain } from './migrations/007-audit-log-chain.ts'
import { AlertNotices } from './migrations/008-alert-notices.ts'
import { GateClosings } from './migrations/009-gate-closings.ts'
import { SessionIds } from './migrations/010-session-ids.ts'
import { DatabaseMarker } from './migrations/011-database-marker.ts'
import { OutboxHeadersAsText } from './migrations/012-outbox-headers-as-text.ts'
import { OutboxGroups } from './migrations/013-outbox-groups.ts'

export const schema: ServiceSchema = {
  service: 'gateway',
  schema: 'identity',
  role: 'identity',
  migrations: [
    { name: '001-identity', class: Identity },
    { name: '002-audit-log-and-alert-lists', class: AuditLogAndAlertLists },
    { name: '003-authenticate-without-superuser', class: AuthenticateWithoutSuperuser },
    { name: '004-dead-letter-states', class: DeadLetterStates },
    { name: '005-outbox-written-once', class: OutboxWrittenOnce },
    { name: '006-alerts-that-end', class: AlertsThatEnd },
    { name: '007-audit-log-chain', class: AuditLogChain },
    { name: '008-alert-notices', class: AlertNotices },
    { name: '009-gate-closings', class: GateClosings },
    { name: '010-session-ids', class: SessionIds },
    { name: '011-database-marker', class: DatabaseMarker },
    { name: '012-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '013-outbox-groups', class: OutboxGroups },
  ],
}
