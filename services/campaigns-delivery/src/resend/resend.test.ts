import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { refusalOfRun, requireConfirmation, requireResendable, resendConfirmation, type ResendFacts } from './resend.ts'

const good: ResendFacts = { state: 'completed', liveRun: null, unknown: 3, resendable: 2, count: 2 }

function faultOf(check: () => void): Pick<Fault, 'code' | 'reason' | 'message'> | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error as Fault
  }
}
const refused = (change: Partial<ResendFacts>) => faultOf(() => requireResendable({ ...good, ...change }))

test('only the exact words confirm, and only a positive number counts', () => {
  expect(faultOf(() => requireConfirmation(resendConfirmation, 1))).toBeUndefined()
  for (const words of ['', resendConfirmation.toLowerCase(), `${resendConfirmation} `, 'SEND UNKNOWN AGAIN'])
    expect(faultOf(() => requireConfirmation(words, 1))).toMatchObject({
      code: 'invalid_argument',
      reason: 'confirmation',
      message: expect.stringContaining(resendConfirmation),
    })
  for (const count of [0, -1, 1.5, NaN])
    expect(faultOf(() => requireConfirmation(resendConfirmation, count))).toMatchObject({
      code: 'invalid_argument',
      reason: 'count',
    })
})

test.each(['completed', 'cancelled', 'failed'] as const)('a run that is %s may be resent', (state) => {
  expect(refused({ state })).toBeUndefined()
})

test.each<[reason: string, change: Partial<ResendFacts>, says: string]>([
  ['run_state', { state: 'sending' }, 'this one is sending'],
  ['run_state', { state: 'paused' }, 'this one is paused'],
  ['run_state', { state: 'scheduled' }, 'this one is scheduled'],
  ['run_state', { state: 'unscheduled' }, 'this one is unscheduled'],
  ['campaign_live', { liveRun: { id: 'other', state: 'sending' } }, 'The run other of the same campaign is sending'],
  ['nobody_unknown', { unknown: 0, resendable: 0 }, 'No message of this run is unknown now'],
  ['nobody_unknown', { resendable: 0 }, 'was sent again by another run'],
])('refused with %s for %j, and the message says why', (reason, change, says) => {
  expect(refused(change)).toMatchObject({
    code: 'failed_precondition',
    reason,
    message: expect.stringContaining(says),
  })
})

test('a wrong count is a conflict whose message has the right one', () => {
  for (const count of [1, 3])
    expect(refused({ count })).toMatchObject({
      code: 'conflict',
      reason: 'count',
      message: expect.stringContaining('is 2 now'),
    })
})

test('a refusal of scheduling does not advise to change a draft', () => {
  const refusal = refusalOfRun(new Fault('failed_precondition', 'sender_missing', 'Append a draft version.'))
  expect(refusal).toMatchObject({ code: 'failed_precondition', reason: 'sender_missing' })
  expect((refusal as Fault).message).not.toContain('draft')
  const gate = new Fault('failed_precondition', 'production_switch', 'The gate is closed.')
  expect(refusalOfRun(gate)).toBe(gate)
})
