import type { HandOffKind } from './hand-off.entity.ts'

/** Identifies a batch. */
export interface BatchKey {
  workspaceId: string
  runId: string
  batch: number
}

/** A message of a hand-off. */
export interface HandOffMessage {
  id: string
  /** null for a test send to an address without a contact */
  contactId: string | null
  /** null for a test send */
  audienceId: string | null
  /** of the audience; 0: no minimum interval */
  minimumIntervalSeconds: number
}

/** One call to the provider, stored before it is made. */
export interface HandOff {
  workspaceId: string
  id: string
  kind: HandOffKind
  /** id of the run or the test send */
  originId: string
  /** number in the run; 0 for a test send */
  batch: number
  messages: readonly HandOffMessage[]
}

/** A hand-off that has not started this long after its intent is put back. */
export const handOffWithinMs = 2_000

/** A verdict is at most this old when the intent commits. The commit itself uses the rest of the 2 s. */
export const verdictMs = 1_900
