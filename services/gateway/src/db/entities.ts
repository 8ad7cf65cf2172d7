import { Alert } from './alert.entity.ts'
import { AuditEntry } from './audit-entry.entity.ts'
import { Membership } from './membership.entity.ts'
import { Organization } from './organization.entity.ts'
import { PlatformGate } from './platform-gate.entity.ts'
import { Session } from './session.entity.ts'
import { User } from './user.entity.ts'
import { Workspace } from './workspace.entity.ts'

export const entities = [User, Organization, Workspace, Membership, Session, PlatformGate, AuditEntry, Alert]
