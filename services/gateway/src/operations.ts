import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Operations } from '@lettergate/rpc'
import { acknowledgeAlert } from './alerts/acknowledge-alert.ts'
import { listAlerts } from './alerts/list-alerts.ts'
import { getAuditLogHead } from './audit-log/get-audit-log-head.ts'
import { listAuditEntries } from './audit-log/list-audit-entries.ts'
import type { Ctx } from './ctx.ts'
import { activateWorkspaceSending } from './gates/activate-workspace-sending.ts'
import { getGates } from './gates/get-gates.ts'
import { listPlatformGates } from './gates/list-platform-gates.ts'
import { setPlatformGate } from './gates/set-platform-gate.ts'
import { turnWorkspaceSendingOff } from './gates/turn-workspace-sending-off.ts'
import { addOperator } from './identity/add-operator.ts'
import { endSession } from './identity/end-session.ts'
import { getMe } from './identity/get-me.ts'
import { getWorkspaceFacts } from './identity/get-workspace-facts.ts'
import { getWorkspace } from './identity/get-workspace.ts'
import { listOperators } from './identity/list-operators.ts'
import { listSessions } from './identity/list-sessions.ts'
import { listWorkspaces } from './identity/list-workspaces.ts'
import { removeOperator } from './identity/remove-operator.ts'
import { requireSyntheticWorkspace } from './identity/require-synthetic-workspace.ts'
import { setOperatorRole } from './identity/set-operator-role.ts'
import { requireReconstructionAllowed } from './reconstruction/require-reconstruction-allowed.ts'

/** The rpcs of this service, by feature. Each has a route, unless the comment names the services that call it. */
export const operations = {
  // identity
  getMe,
  listWorkspaces,
  getWorkspace,
  listOperators,
  addOperator,
  setOperatorRole,
  removeOperator,
  listSessions,
  endSession,
  // identity, called by campaigns-delivery and imports and sending-infra
  getWorkspaceFacts,
  // identity, called by automations
  requireSyntheticWorkspace,

  // gates
  activateWorkspaceSending,
  turnWorkspaceSendingOff,
  listPlatformGates,
  setPlatformGate,
  // gates, called by automations and campaigns-delivery and imports and sending-infra and webhook-intake
  getGates,

  // reconstruction, called by automations and campaigns-delivery and reconstruct
  requireReconstructionAllowed,

  // audit log
  listAuditEntries,
  getAuditLogHead,

  // alerts
  listAlerts,
  acknowledgeAlert,
} satisfies Operations<typeof Identity, Ctx>
