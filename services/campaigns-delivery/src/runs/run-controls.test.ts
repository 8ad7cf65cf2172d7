import { expect, test } from '@jest/globals'
import { nextState, refusalMessage, type RunAction } from './run-controls.ts'
import { mayBecome, type RunState } from './run-states.ts'

const states: RunState[] = ['scheduled', 'sending', 'paused', 'completed', 'unscheduled', 'cancelled', 'failed']
const actions: RunAction[] = ['pause', 'resume', 'cancel', 'unschedule']

test('an action leads to the state of the contract, and from no other state', () => {
  const ways = actions.flatMap((action) =>
    states.flatMap((state) => {
      const to = nextState(action, { state, isDue: true, hasStarted: state !== 'scheduled' })
      return to === undefined ? [] : [`${action}: ${state} → ${to}`]
    }),
  )
  expect(ways).toEqual([
    'pause: scheduled → paused',
    'pause: sending → paused',
    'resume: paused → sending',
    'cancel: scheduled → cancelled',
    'cancel: sending → cancelled',
    'cancel: paused → cancelled',
    'unschedule: scheduled → unscheduled',
  ])
})

test.each([
  [{ isDue: false, hasStarted: false }, 'scheduled'],
  [{ isDue: true, hasStarted: false }, 'sending'],
  [{ isDue: true, hasStarted: true }, 'sending'],
])('a paused run %j becomes %s when it is resumed', (run, to) => {
  expect(nextState('resume', { state: 'paused', ...run })).toBe(to)
})

test('no action makes a transition that is not allowed', () => {
  for (const action of actions)
    for (const state of states)
      for (const isDue of [true, false])
        for (const hasStarted of [true, false]) {
          const to = nextState(action, { state, isDue, hasStarted })
          expect({ action, state, to, allowed: to === undefined || mayBecome(state, to) }).toMatchObject({
            allowed: true,
          })
        }
})

test('a refusal names the states that fit and the current state', () => {
  expect(refusalMessage('cancel', { state: 'completed' })).toBe(
    'Only a run that is scheduled or sending or paused can be cancelled, and this one is completed. Nothing was changed.',
  )
})

test('a resend can be cancelled but not unscheduled, because its campaign is not a draft', () => {
  const run = { state: 'scheduled', isDue: true, hasStarted: false, isResend: true } as const
  expect([nextState('unschedule', run), nextState('cancel', run)]).toEqual([undefined, 'cancelled'])
  expect(refusalMessage('unschedule', run)).toContain('It can be cancelled.')
})
