import type { Em } from '@lettergate/database'
import type { RoutePermission, SendingRoute } from '../connections/connection-hold.entity.ts'
import type { MessageEnd } from '../messages/message-fact.entity.ts'
import type { ClaimLimits } from './claim.ts'
import type { HandOffKind } from './hand-off.entity.ts'
import type { ClaimedHandOff, HandOffMessage } from './hand-off.ts'

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
  /** Called after the provider refused the only message of a hand-off for good. */
  refused?(em: Em, handOff: ClaimedHandOff): Promise<void>
  /** Makes the messages of a hand-off that did not happen pending again, unless `endOf` ended them. */
  pendingAgain(em: Em, handOff: ClaimedHandOff, back: PutBack): Promise<void>
  /** Called in the same transaction after a hand-off was settled or its messages ended. */
  settled(em: Em, workspaceId: string, originId: string): Promise<void>
}

export type HandOffOrigins = Readonly<Record<HandOffKind, HandOffOrigin>>

/** The messages of an intent, locked until its transaction ends. */
export interface LockedMessages {
  /** the batches whose messages are locked: numbers in the run; 0 for a test send; any number for emails of an automation */
  batches: readonly number[]
  /** the ids of the messages that are neither handed over nor ended, with their batches */
  pending: ReadonlyMap<string, number>
  /** pending messages that may not be handed over any more, with the reasons */
  ended?: readonly { id: string; reasons: string[] }[]
  /** one recipient in each call */
  isSingles: boolean
  /** whether the route may be called, if it was read together with the lock */
  permission?: RoutePermission
  /** the run whose unknown messages these ones send again */
  resentRunId?: string | null
}

/** What an intent stored. */
export interface StoredIntent {
  handOffs: readonly ClaimedHandOff[]
  /** messages that ended, because they are not eligible now */
  skipped: number
  /** the locked batches that have no pending messages any more */
  done: readonly number[]
  /** the locked batches that have */
  open: readonly number[]
  /** one recipient in each call */
  isSingles: boolean
}

/**
 * What the messages of one intent are sent for: batches of a run, a test send, or emails of an automation. Everything that
 * differs between them when an intent is stored. All functions run in its transaction.
 */
export interface IntentOrigin {
  kind: HandOffKind
  originId: string
  limits: ClaimLimits
  /** Locks these messages against other intents. Undefined when none of them may be sent any more; then nothing is stored. */
  lock(em: Em, route: SendingRoute, messages: readonly HandOffMessage[]): Promise<LockedMessages | undefined>
  /** Stores that the messages wait, because none can be claimed now. Without this function, nothing is stored. */
  postpone?: (em: Em) => Promise<void>
  /** Stores what belongs to the intent. */
  store(em: Em, intent: StoredIntent): Promise<void>
}

/** Why no message can be claimed now. */
export type Postponed = 'cooldown' | 'paced' | 'connection_full' | 'verdicts_late'
