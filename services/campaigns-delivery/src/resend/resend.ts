import type { Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { CampaignRun } from '../runs/campaign-run.entity.ts'
import type { RunState } from '../runs/run-states.ts'

/** The exact words that a person types to confirm a resend. */
export const resendConfirmation = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

const over: readonly RunState[] = ['completed', 'cancelled', 'failed']
const countMax = 2 ** 31 - 1

/** A run that is not over, or that is still being built. */
export type LiveRun = Pick<Row<typeof CampaignRun>, 'id' | 'state'>

/** The facts that decide whether the unknown messages of a run may be sent again. */
export interface ResendFacts {
  state: RunState
  /** the run of the same campaign that is not over, if any */
  liveRun: LiveRun | null
  /** recipients whose message is unknown */
  unknown: number
  /** those of them who may be sent to again, because no other resend reached or may have reached them */
  resendable: number
  /** number of recipients that the caller expects */
  count: number
}

/** Fault `invalid_argument` unless the words match exactly and the count is a positive integer. */
export function requireConfirmation(confirmation: string, count: number): void {
  if (confirmation !== resendConfirmation)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly ${resendConfirmation}.`)
  if (!Number.isInteger(count) || count < 1 || count > countMax)
    throw new Fault('invalid_argument', 'count', 'count must be the number of recipients to send to again, 1 or more.')
}

/** Throws the Fault that says why the unknown messages of a run may not be sent again, if any. */
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

/** Fault `conflict` when the caller expects another number of recipients. */
export function requireCount(count: number, resendable: number): void {
  if (count === resendable) return
  throw new Fault(
    'conflict',
    'count',
    `The number of recipients whose message is unknown and was not sent again is ${resendable} now, and count is ${count}. Look at the run, and send the request with count ${resendable} if that is meant. Nothing was sent.`,
  )
}

/** A campaign has one live run at a time. `run` is that run, unless it ended in the meantime. */
export const campaignIsLive = (run: LiveRun | null): Fault =>
  new Fault(
    'failed_precondition',
    'campaign_live',
    run === null
      ? 'Another request made a run of the same campaign at the same moment. Nothing was sent by this request.'
      : `The run ${run.id} of the same campaign is ${run.state}. Wait for its end, or cancel it. Nothing was sent.`,
  )

/** Messages for conditions whose original message advises to change the draft. A run has no draft to change. */
const withoutDraft: Readonly<Record<string, string>> = {
  audience_archived: 'An audience of these recipients is archived, so nothing is sent to it.',
  content_archived: 'The email template of this run is archived. Restore it first.',
  sender_missing: 'The sender identity does not exist. Name another one with sender_identity_id.',
}

/** Replaces the message of a scheduling condition by one that fits a run. */
export function refusalOfRun(error: unknown): unknown {
  const message = error instanceof Fault ? withoutDraft[error.reason] : undefined
  return message === undefined ? error : new Fault((error as Fault).code, (error as Fault).reason, message)
}
