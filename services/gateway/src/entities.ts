import { AlertSchema } from './alerts/alert.entity.ts'
import { AuditEntrySchema } from './audit-log/audit-entry.entity.ts'
import { MembershipSchema } from './identity/membership.entity.ts'
import { OrganizationSchema } from './identity/organization.entity.ts'
import { PlatformGateSchema } from './gates/platform-gate.entity.ts'
import { SessionSchema } from './identity/session.entity.ts'
import { UserSchema } from './identity/user.entity.ts'
import { WorkspaceSchema } from './identity/workspace.entity.ts'

export const entities = [
  UserSchema,
  OrganizationSchema,
  WorkspaceSchema,
  MembershipSchema,
  SessionSchema,
  PlatformGateSchema,
  AuditEntrySchema,
  AlertSchema,
]
