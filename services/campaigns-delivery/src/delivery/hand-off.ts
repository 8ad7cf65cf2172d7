import type { HandOffKind } from './hand-off.entity.ts'

/** Identifies a batch. */
export interface BatchKey {
  workspaceId: string
  runId: string
  batch: number
}

/** Batches of one run that a worker delivers together. Each is handed over in a call of its own. */
export interface BatchGroup {
  workspaceId: string
  runId: string
  batches: readonly number[]
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
export interface ClaimedHandOff {
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

const committedVerdictMs = 2_000

/** Times of a call by the clock of `performance.now()`, which never steps. */
export interface CallTimes {
  /** before the intent was committed */
  intentAt: number
  /** after it was committed */
  committedAt: number
  /** before the verdicts were requested */
  judgedAt: number
}

/**
 * How many milliseconds are left to start a call; 0 or less if it may not start. The age of the verdicts counts here too,
 * because the database, whose clock decided at the intent, may have set its clock back.
 */
export const startWithinMs = ({ intentAt, judgedAt }: CallTimes, now: number): number =>
  Math.min(intentAt + handOffWithinMs, judgedAt + verdictMs + handOffWithinMs) - now

/** Whether the verdicts were older than 2 s when the commit returned, by the clock of the worker: the commit took long. */
export const isCommittedLate = ({ committedAt, judgedAt }: CallTimes): boolean =>
  committedAt > judgedAt + committedVerdictMs
