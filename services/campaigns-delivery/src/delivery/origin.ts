import type { Em } from '@lettergate/database'
import type { MessageEnd } from '../messages/message-fact.entity.ts'
import type { HandOffKind } from './hand-off.entity.ts'
import type { ClaimedHandOff } from './hand-off.ts'

/** The final state of messages that will not be handed over. */
export interface End {
  end: MessageEnd
  reasons: string[]
}

/** Why a hand-off did not happen, and how its messages are handed over next. */
export interface PutBack {
  reason: string
  /** null: at once */
  dueAt: Date | null
  /** one recipient in each call */
  isSingles?: boolean
}

/**
 * How hand-offs of one kind behave. service.ts registers one for each kind, so that the delivery engine does not depend on
 * runs, test sends or automations.
 */
export interface HandOffOrigin {
  /** Whether recipients that the provider did not accept wait for another call. If false, they fail. */
  isTriedAgain: boolean
  /** Returns how the messages of a hand-off that did not happen end, or undefined when they wait for another hand-off. */
  endOf(em: Em, handOff: ClaimedHandOff, reason: string): Promise<End | undefined>
  /** Makes the messages of a hand-off that did not happen pending again, unless `endOf` ended them. */
  pendingAgain(em: Em, handOff: ClaimedHandOff, back: PutBack): Promise<void>
  /** Called in the same transaction after a hand-off was settled or its messages ended. */
  settled(em: Em, workspaceId: string, originId: string): Promise<void>
}

export type HandOffOrigins = Readonly<Record<HandOffKind, HandOffOrigin>>
