import type { HandOffKind } from './hand-off.entity.ts'

/** Which batch is meant. */
export interface BatchKey {
  workspaceId: string
  runId: string
  batch: number
}

/** A message of a hand-off. */
export interface HandOffMessage {
  id: string
  /** null for a test to an address that is no contact's */
  contactId: string | null
  /** null for a test */
  audienceId: string | null
  /** of the audience; 0: it has none */
  minimumIntervalSeconds: number
}

/** One call to the provider that was written down before it is made: who is in it, and what it belongs to. */
export interface HandOff {
  workspaceId: string
  id: string
  kind: HandOffKind
  /** the run or the test send */
  originId: string
  /** of the run; 0 for a test send */
  batch: number
  messages: readonly HandOffMessage[]
}

/** A hand-off that has not begun this long after its intent was committed does not begin at all. */
export const handOffWithinMs = 2_000

/** A verdict is at most this old when the intent commits; the commit itself takes part of the 2 s. */
export const verdictMs = 1_900
