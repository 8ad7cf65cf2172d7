import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { acknowledgeAlert } from '../alerts/acknowledge-alert.ts'
import { activateWorkspaceSending } from '../gates/activate-workspace-sending.ts'
import { addOperator } from '../identity/add-operator.ts'
import { getGates } from '../gates/get-gates.ts'
import { getMe } from '../identity/get-me.ts'
import { getWorkspace } from '../identity/get-workspace.ts'
import { getWorkspaceFacts } from '../identity/get-workspace-facts.ts'
import { listAlerts } from '../alerts/list-alerts.ts'
import { listAuditEntries } from '../audit-log/list-audit-entries.ts'
import { listOperators } from '../identity/list-operators.ts'
import { listPlatformGates } from '../gates/list-platform-gates.ts'
import { listWorkspaces } from '../identity/list-workspaces.ts'
import { removeOperator } from '../identity/remove-operator.ts'
import { setOperatorRole } from '../identity/set-operator-role.ts'
import { setPlatformGate } from '../gates/set-platform-gate.ts'
import { turnWorkspaceSendingOff } from '../gates/turn-workspace-sending-off.ts'

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
