import type { StoredEmail } from './automation-email.entity.ts'

/** Why a step has no final result, and when to ask again. */
export interface Waiting {
  reason: string
  retryInMs: number
  /** a gate is closed, or the sender is not ready */
  isHeld?: boolean
}

export type EmailResult =
  | { outcome: 'accepted' | 'unknown'; reasons: string[]; messageId: string; audienceId: string | null }
  | { outcome: 'skipped' | 'failed'; reasons: string[]; messageId?: string }
  | {
      outcome: 'waiting'
      reasons: string[]
      messageId?: string
      retryInMs: number
      isHeld?: boolean
    }

const callUnderWay: Waiting = { reason: 'under_way', retryInMs: 2_000 }
/** The caller's deadline came first. */
export const notReached: Waiting = { reason: 'deadline', retryInMs: 1_000 }

/** The result of one step: the state of its message, or what is known about a message that waits. */
export function resultOf(stored: StoredEmail | undefined, waiting: Waiting | undefined): EmailResult {
  const messageId = stored?.hand_off_state ? { messageId: stored.id } : {}
  const wait = (why: Waiting): EmailResult => ({
    outcome: 'waiting',
    reasons: [why.reason],
    retryInMs: why.retryInMs,
    ...(why.isHeld ? { isHeld: true } : {}),
    ...messageId,
  })
  if (!stored) return wait(waiting ?? notReached)
  const { id, state, audience_id: audienceId, hand_off_reason, end_reasons } = stored
  switch (state) {
    case 'accepted':
    case 'delivered':
    case 'soft_failed':
    case 'hard_bounced':
      return { outcome: 'accepted', reasons: [], messageId: id, audienceId }
    case 'unknown':
      return {
        outcome: 'unknown',
        reasons: hand_off_reason === null ? [] : [hand_off_reason],
        messageId: id,
        audienceId,
      }
    case 'skipped':
      return { outcome: 'skipped', reasons: end_reasons ?? [], ...messageId }
    case 'failed':
      return { outcome: 'failed', reasons: end_reasons ?? [hand_off_reason ?? 'refused'], ...messageId }
    case 'claimed':
      return wait(callUnderWay)
    case 'pending':
      return wait(waiting ?? notReached)
  }
}
