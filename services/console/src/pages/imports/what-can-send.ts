import type { Gate } from '@lettergate/client/console'
import { counted } from '../../parts/words.ts'

interface Known {
  isWorkspaceOn: boolean
  enabledSenders: number
  isProductionOpen: boolean
  /** undefined for users who may not read them */
  gates: readonly Gate[] | undefined
}

/** What can send now, each with the page that changes it. The service refuses to approve an import while there is anything. */
export function whatCanSend({ isWorkspaceOn, enabledSenders, isProductionOpen, gates = [] }: Known) {
  const gate = (name: Gate['name']) => gates.find((one) => one.name === name)
  const found: [isOpen: boolean | undefined, words: string, page?: string][] = [
    [isWorkspaceOn, 'Sending is on in this workspace.', '/sending'],
    [
      enabledSenders > 0,
      `${counted(enabledSenders, 'sender is', 'senders are')} enabled. To end it, delete the sender or change its from address.`,
      '/sending',
    ],
    [isProductionOpen, 'The platform gate for production sending is open.', '/platform/gates'],
    [gate('test_sends_enabled')?.effective, 'The platform gate for test sends is open.', '/platform/gates'],
    [
      gate('production_sending_enabled') && gate('production_sending_enabled')?.ceiling !== false,
      'The environment allows production sending, by ALLOW_PRODUCTION_SENDING_ACTIVATION. Only a change of the deployment ends it.',
    ],
  ]
  return found.filter(([isOpen]) => isOpen).map(([, words, page]) => ({ words, page }))
}
