import { AlertSchema } from './alerts.ts'
import { AuditEntrySchema } from './audit-log.ts'
import { MembershipSchema } from './memberships.ts'
import { OrganizationSchema } from './organizations.ts'
import { PlatformGateSchema } from './platform-gates.ts'
import { SessionSchema } from './sessions.ts'
import { UserSchema } from './users.ts'
import { WorkspaceSchema } from './workspaces.ts'

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
