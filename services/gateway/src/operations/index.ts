import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { acknowledgeAlert } from './acknowledge-alert.ts'
import { activateWorkspaceSending } from './activate-workspace-sending.ts'
import { addOperator } from './add-operator.ts'
import { getGates } from './get-gates.ts'
import { getMe } from './get-me.ts'
import { getWorkspace } from './get-workspace.ts'
import { getWorkspaceFacts } from './get-workspace-facts.ts'
import { listAlerts } from './list-alerts.ts'
import { listAuditEntries } from './list-audit-entries.ts'
import { listOperators } from './list-operators.ts'
import { listPlatformGates } from './list-platform-gates.ts'
import { listWorkspaces } from './list-workspaces.ts'
import { removeOperator } from './remove-operator.ts'
import { setOperatorRole } from './set-operator-role.ts'
import { setPlatformGate } from './set-platform-gate.ts'
import { turnWorkspaceSendingOff } from './turn-workspace-sending-off.ts'

/** What this service answers as identity. A route leads to each, unless the comment says who asks instead. */
export const operations = {
  getMe,
  listWorkspaces,
  getWorkspace,
  activateWorkspaceSending,
  turnWorkspaceSendingOff,
  listOperators,
  addOperator,
  setOperatorRole,
  removeOperator,
  listPlatformGates,
  setPlatformGate,
  listAuditEntries,
  listAlerts,
  acknowledgeAlert,

  // asked by campaigns-delivery and sending-infra and webhook-intake
  getGates,
  // asked by campaigns-delivery and sending-infra
  getWorkspaceFacts,
} satisfies Operations<typeof Identity, Ctx>
