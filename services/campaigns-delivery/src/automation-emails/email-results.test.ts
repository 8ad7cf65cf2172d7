import { expect, test } from '@jest/globals'
import type { StoredEmail } from './automation-email.entity.ts'
import { resultOf } from './email-results.ts'

const stored = (more: Partial<StoredEmail>): StoredEmail => ({
  id: 'step',
  automation_id: 'welcome',
  contact_id: 'ada',
  audience_id: 'news',
  batch: 1,
  is_single: false,
  state: 'pending',
  hand_off_state: null,
  hand_off_reason: null,
  end_reasons: null,
  ...more,
})
const cooldown = { reason: 'cooldown', retryInMs: 30_000 }

test.each(['accepted', 'delivered', 'soft_failed', 'hard_bounced'] as const)(
  'a message that is %s was accepted, whatever became of it later',
  (state) => {
    expect(resultOf(stored({ state, hand_off_state: 'accepted' }), undefined)).toEqual({
      outcome: 'accepted',
      reasons: [],
      messageId: 'step',
      audienceId: 'news',
    })
  },
)

test('an unknown message has the reason of its call', () => {
  expect(
    resultOf(stored({ state: 'unknown', hand_off_state: 'unknown', hand_off_reason: 'no_answer' }), cooldown),
  ).toEqual({
    outcome: 'unknown',
    reasons: ['no_answer'],
    messageId: 'step',
    audienceId: 'news',
  })
  expect(resultOf(stored({ state: 'unknown', hand_off_state: 'unknown' }), undefined)).toMatchObject({ reasons: [] })
})

test('a skipped message has its reasons, and a message id only if it was in a hand-off', () => {
  const end_reasons = ['not_subscribed', 'consent_missing']
  expect(resultOf(stored({ state: 'skipped', end_reasons }), undefined)).toEqual({
    outcome: 'skipped',
    reasons: end_reasons,
  })
  expect(resultOf(stored({ state: 'skipped', end_reasons, hand_off_state: 'put_back' }), undefined)).toEqual({
    outcome: 'skipped',
    reasons: end_reasons,
    messageId: 'step',
  })
})

test('a failed message has the reasons of its end, or else of its call', () => {
  expect(resultOf(stored({ state: 'failed', end_reasons: ['sender_missing'] }), undefined)).toEqual({
    outcome: 'failed',
    reasons: ['sender_missing'],
  })
  const refused = { state: 'failed', hand_off_state: 'failed' } as const
  expect(resultOf(stored({ ...refused, hand_off_reason: 'status_400' }), undefined)).toEqual({
    outcome: 'failed',
    reasons: ['status_400'],
    messageId: 'step',
  })
  expect(resultOf(stored(refused), undefined)).toMatchObject({ reasons: ['refused'] })
})

test('a message whose call is under way waits, whatever else is known', () => {
  expect(resultOf(stored({ state: 'claimed', hand_off_state: 'claimed' }), cooldown)).toEqual({
    outcome: 'waiting',
    reasons: ['under_way'],
    retryInMs: 2_000,
    messageId: 'step',
  })
})

test.each([
  ['not stored', undefined],
  ['stored and pending', stored({})],
])('a message that is %s waits for the known reason, or else was not reached', (_, email) => {
  expect(resultOf(email, cooldown)).toEqual({ outcome: 'waiting', reasons: ['cooldown'], retryInMs: 30_000 })
  expect(resultOf(email, undefined)).toEqual({ outcome: 'waiting', reasons: ['deadline'], retryInMs: 1_000 })
})

test('a message that was put back waits and keeps its id', () => {
  expect(resultOf(stored({ hand_off_state: 'put_back', hand_off_reason: 'status_429' }), cooldown)).toEqual({
    outcome: 'waiting',
    reasons: ['cooldown'],
    retryInMs: 30_000,
    messageId: 'step',
  })
})
