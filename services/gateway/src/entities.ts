import { Alert } from './alerts/alert.entity.ts'
import { AlertNotice } from './alerts/alert-notice.entity.ts'
import { AuditEntry } from './audit-log/audit-entry.entity.ts'
import { AuditLogCheck } from './audit-log/audit-log-check.entity.ts'
import { AuditSeal, UnsealedAuditEntry } from './audit-log/audit-seal.entity.ts'
import { Membership } from './identity/membership.entity.ts'
import { Organization } from './identity/organization.entity.ts'
import { DatabaseMarker } from './gates/database-marker.entity.ts'
import { GateClosing } from './gates/gate-closing.entity.ts'
import { PlatformGate } from './gates/platform-gate.entity.ts'
import { Session } from './identity/session.entity.ts'
import { User } from './identity/user.entity.ts'
import { Workspace } from './identity/workspace.entity.ts'

export const entities = [
  User,
  Organization,
  Workspace,
  Membership,
  Session,
  PlatformGate,
  GateClosing,
  DatabaseMarker,
  AuditEntry,
  AuditSeal,
  UnsealedAuditEntry,
  AuditLogCheck,
  Alert,
  AlertNotice,
]
