import type { Em } from '@lettergate/database'
import type { MessageEnd } from '../messages/message-fact.entity.ts'
import type { HandOffKind } from './hand-off.entity.ts'
import type { HandOff } from './hand-off.ts'

/** How messages end that nobody hands over any more. */
export interface End {
  end: MessageEnd
  reasons: string[]
}

/** How hand-offs behave by what they are made for. service.ts registers one for each kind, so that the engine knows no feature above it. */
export interface HandOffOrigin {
  /** Whether people whom the provider did not take now wait for another call; otherwise they have failed. */
  isTriedAgain: boolean
  /** How the messages of a hand-off end that provably never happened; undefined when they wait for another one. */
  endOf(em: Em, handOff: HandOff, reason: string): Promise<End | undefined>
  /** A hand-off made for this was settled, or its messages ended, in the same transaction. */
  settled(em: Em, workspaceId: string, originId: string): Promise<void>
}

export type HandOffOrigins = Readonly<Record<HandOffKind, HandOffOrigin>>
