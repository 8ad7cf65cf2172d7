import { expect, test } from '@jest/globals'
import { enrollmentActions, eventOf, fitsState, refusalMessage } from './enrollment-controls.ts'

test.each([
  ['pause', 'paused', ['active', 'waiting']],
  ['resume', 'resumed', ['paused']],
  ['cancel', 'cancelled', ['active', 'waiting', 'paused', 'failed']],
  ['replay', 'replayed', ['failed']],
] as const)('%s is recorded as %s, and fits %j', (action, event, from) => {
  const states = ['active', 'waiting', 'paused', 'completed', 'cancelled', 'failed'] as const
  expect(states.filter((state) => fitsState(action, state))).toEqual(from)
  expect(eventOf(action)).toBe(event)
})

test('the four actions are known, and a refusal says what would fit', () => {
  expect(enrollmentActions).toEqual(['pause', 'resume', 'cancel', 'replay'])
  expect(refusalMessage('pause', 'completed')).toBe(
    'Only an enrollment that is active or waiting can be paused, and this one is completed. Nothing was changed.',
  )
})
