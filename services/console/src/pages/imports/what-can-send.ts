import type { Gate } from '@lettergate/client/console'
import { canSendInWords as inWords } from '../../parts/can-send-in-words.ts'
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
  const ofProduction = gate('production_sending_enabled')
  const found: [isOpen: boolean | undefined, { words: string; page: string | undefined }][] = [
    [isWorkspaceOn, inWords.workspace_sending],
    [
      enabledSenders > 0,
      {
        ...inWords.enabled_sender,
        words: inWords.enabled_sender.words.replace('A sender is', counted(enabledSenders, 'sender is', 'senders are')),
      },
    ],
    [isProductionOpen, inWords.production_sending_enabled],
    [gate('test_sends_enabled')?.effective, inWords.test_sends_enabled],
    [ofProduction && ofProduction.ceiling !== false, inWords.production_ceiling],
  ]
  return found.filter(([isOpen]) => isOpen).map(([, words]) => words)
}
