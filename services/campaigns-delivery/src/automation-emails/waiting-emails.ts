import type { EmailResult } from './email-results.ts'

/**
 * The emails that this worker was asked to send and could send if it had more capacity: those of calls under way, and those
 * that wait for a free call until they are asked for again.
 */
export interface WaitingEmails {
  /** The emails count until they end, at the latest until the deadline of their call. */
  begin(stepIds: readonly string[], deadline: number): void
  /** Stores what became of an email that was begun. */
  end(stepId: string, result: EmailResult, now: number): void
  count(now: number): number
}

/** Reasons that more workers would change. Emails behind a closed gate, a cooldown or a rate are not counted. */
const lackOfCapacity = new Set(['worker_full', 'connection_full', 'verdicts_late', 'deadline'])
/** A caller that is late, or asks another worker, is waited for this long. */
const lateMs = 10_000

export function waitingEmails(): WaitingEmails {
  /** until when each step counts */
  const until = new Map<string, number>()
  return {
    begin(stepIds, deadline) {
      for (const id of stepIds) until.set(id, deadline)
    },
    end(stepId, result, now) {
      if (result.outcome === 'waiting' && lackOfCapacity.has(result.reasons[0] ?? ''))
        until.set(stepId, now + result.retryInMs + lateMs)
      else until.delete(stepId)
      if (until.size > 10_000) forget(now)
    },
    count(now) {
      forget(now)
      return until.size
    },
  }

  function forget(now: number) {
    for (const [id, end] of until) if (end <= now) until.delete(id)
  }
}
