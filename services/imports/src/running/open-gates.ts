import type { GetGatesResponse, WorkspaceFacts } from '@lettergate/contracts/identity/v1/identity'

const testSends = 'test_sends_enabled'
const production = 'production_sending_enabled'

/** Everything that lets email out. While one of them is open, no import is approved or applied. */
export const sendingGates = {
  [testSends]: 'test sends are enabled',
  enabled_sender: 'a sender of this workspace is enabled',
  workspace_sending: 'production sending of this workspace is on',
  production_ceiling: 'the environment sets ALLOW_PRODUCTION_SENDING_ACTIVATION',
  [production]: 'the production switch is on',
} as const

export type SendingGate = keyof typeof sendingGates

interface Answers {
  gates: Pick<GetGatesResponse, 'effective' | 'ceilings'>
  workspace: Pick<WorkspaceFacts, 'productionSendingEnabled'>
  hasEnabledSender: boolean
}

/** The open gates by these answers. A platform gate that the answer does not name counts as open. */
export function openGates({ gates, workspace, hasEnabledSender }: Answers): SendingGate[] {
  const isOpen: Record<SendingGate, boolean> = {
    [testSends]: gates.effective[testSends] !== false,
    enabled_sender: hasEnabledSender,
    workspace_sending: workspace.productionSendingEnabled,
    production_ceiling: gates.ceilings[production] !== false,
    [production]: gates.effective[production] !== false,
  }
  return (Object.keys(sendingGates) as SendingGate[]).filter((gate) => isOpen[gate])
}
