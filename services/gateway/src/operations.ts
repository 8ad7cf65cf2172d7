import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Operations } from '@lettergate/rpc'
import { acknowledgeAlert } from './alerts/acknowledge-alert.ts'
import { listAlerts } from './alerts/list-alerts.ts'
import { listAuditEntries } from './audit-log/list-audit-entries.ts'
import type { Ctx } from './ctx.ts'
import { activateWorkspaceSending } from './gates/activate-workspace-sending.ts'
import { getGates } from './gates/get-gates.ts'
import { listPlatformGates } from './gates/list-platform-gates.ts'
import { setPlatformGate } from './gates/set-platform-gate.ts'
import { turnWorkspaceSendingOff } from './gates/turn-workspace-sending-off.ts'
import { addOperator } from './identity/add-operator.ts'
import { getMe } from './identity/get-me.ts'
import { getWorkspaceFacts } from './identity/get-workspace-facts.ts'
import { getWorkspace } from './identity/get-workspace.ts'
import { listOperators } from './identity/list-operators.ts'
import { listWorkspaces } from './identity/list-workspaces.ts'
import { removeOperator } from './identity/remove-operator.ts'
import { setOperatorRole } from './identity/set-operator-role.ts'

/** What this service answers as identity, by feature. A route leads to each, unless the comment says who asks instead. */
export const operations = {
  // identity
  getMe,
  listWorkspaces,
  getWorkspace,
  listOperators,
  addOperator,
  setOperatorRole,
  removeOperator,
  // identity, asked by campaigns-delivery and sending-infra
  getWorkspaceFacts,

  // gates
  activateWorkspaceSending,
  turnWorkspaceSendingOff,
  listPlatformGates,
  setPlatformGate,
  // gates, asked by campaigns-delivery and sending-infra and webhook-intake
  getGates,

  // audit log
  listAuditEntries,

  // alerts
  listAlerts,
  acknowledgeAlert,
} satisfies Operations<typeof Identity, Ctx>
