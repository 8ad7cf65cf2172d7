import { Fault } from '@lettergate/fault'
import type { RunState } from '../runs/run-states.ts'

/** The exact words that a person types before the unknown messages of a run are sent again. */
export const resendConfirmation = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

const over: readonly RunState[] = ['completed', 'cancelled', 'failed']
const countMax = 2 ** 31 - 1

/** What is known of a run at the moment somebody wants to send its unknown messages again. */
export interface ResendFacts {
  state: RunState
  /** the run of the same campaign that is not over, if there is one */
  liveRun: { id: string; state: string } | undefined
  /** people whose message is unknown */
  unknown: number
  /** of them those who can be sent to again: no other run that resends this one reached them, or may have */
  resendable: number
  /** how many people the caller means */
  count: number
}

/** Fault `invalid_argument` unless the words are exactly these and the count is one. */
export function requireConfirmation(confirmation: string, count: number): void {
  if (confirmation !== resendConfirmation)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly ${resendConfirmation}.`)
  if (!Number.isInteger(count) || count < 1 || count > countMax)
    throw new Fault('invalid_argument', 'count', 'count must be the number of people to send to again, 1 or more.')
}

/** Passes when the unknown messages of a run may be sent again; else throws the Fault that says what is in the way. */
export function requireResendable({ state, liveRun, unknown, resendable, count }: ResendFacts): void {
  if (!over.includes(state))
    throw new Fault(
      'failed_precondition',
      'run_state',
      `Only a run that is ${over.join(' or ')} can have its unknown messages sent again, and this one is ${state}. Nothing was sent.`,
    )
  if (liveRun) throw campaignIsLive(liveRun)
  if (resendable === 0)
    throw new Fault(
      'failed_precondition',
      'nobody_unknown',
      unknown === 0
        ? 'No message of this run is unknown now. Nothing was sent.'
        : 'Every unknown message of this run was sent again by another run, which resent_by_run_id names. If messages are unknown in that run, send them again from there. Nothing was sent.',
    )
  requireCount(count, resendable)
}

/** The caller decided about another number of people than there are. */
export function requireCount(count: number, resendable: number): void {
  if (count === resendable) return
  throw new Fault(
    'conflict',
    'count',
    `The number of people whose message is unknown and was not sent again is ${resendable} now, and count is ${count}. Look at the run, and send the request with count ${resendable} if that is meant. Nothing was sent.`,
  )
}

/** A campaign has one run at a time; `run` is that run, if it can still be told. */
export const campaignIsLive = (run: { id: string; state: string } | undefined): Fault =>
  new Fault(
    'failed_precondition',
    'campaign_live',
    run === undefined
      ? 'Another request made a run of the same campaign at the same moment. Look at it. Nothing was sent by this request.'
      : `The run ${run.id} of the same campaign is ${run.state}. Wait for its end, or cancel it. Nothing was sent.`,
  )

/** Scheduling advises to change the draft; a run cannot be changed. */
const withoutDraft: Readonly<Record<string, string>> = {
  audience_archived: 'An audience of these people is archived, so nothing is sent to it.',
  content_archived: 'The email template of this run is archived. Restore it first.',
  sender_missing: 'The sender identity of this run does not exist any more, so nothing can be sent from it again.',
}

/** A refusal of the conditions of scheduling, in words that fit a run. */
export function refusalOfRun(error: unknown): unknown {
  const message = error instanceof Fault ? withoutDraft[error.reason] : undefined
  return message === undefined ? error : new Fault((error as Fault).code, (error as Fault).reason, message)
}
