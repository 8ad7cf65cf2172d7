import { expect, test } from '@jest/globals'
import { campaignStatusFor, mayBecome, type RunState } from './run-states.ts'

const states: RunState[] = ['scheduled', 'sending', 'paused', 'completed', 'unscheduled', 'cancelled', 'failed']

test('a run has the transitions of the contract and no others', () => {
  const ways = states.flatMap((from) => states.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`))
  expect(ways).toEqual([
    'scheduled → sending',
    'scheduled → paused',
    'scheduled → unscheduled',
    'scheduled → cancelled',
    'sending → paused',
    'sending → completed',
    'sending → cancelled',
    'sending → failed',
    'paused → scheduled',
    'paused → sending',
    'paused → cancelled',
  ])
})

test('an unscheduled run makes its campaign a draft again', () => {
  const seen = states.filter((state) => state !== 'paused')
  expect(seen.map(campaignStatusFor)).toEqual(['scheduled', 'sending', 'sent', 'draft', 'cancelled', 'cancelled'])
})
