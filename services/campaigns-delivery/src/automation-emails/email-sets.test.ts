import { expect, test } from '@jest/globals'
import type { StepEmail } from './email-input.ts'
import { setsOf } from './email-sets.ts'

let counter = 0
const email = (more: Partial<StepEmail> = {}): StepEmail => {
  counter += 1
  return {
    stepId: `step-${counter}`,
    enrollmentId: `enrollment-${counter}`,
    automationId: 'welcome',
    contactId: `contact-${counter}`,
    audienceIds: ['readers'],
    contentVersionId: 'hello',
    senderIdentityId: 'acme',
    trace: {},
    ...more,
  }
}
const fresh = () => undefined
const steps = (sets: ReturnType<typeof setsOf>) => sets.map((set) => set.emails.map(({ stepId }) => stepId))

test('emails of one automation, content and sender are one set, in their order', () => {
  const emails = [email(), email(), email()]
  expect(setsOf(emails, fresh, 100)).toMatchObject([
    {
      automationId: 'welcome',
      contentVersionId: 'hello',
      senderIdentityId: 'acme',
      batch: undefined,
      isSingle: false,
      emails,
    },
  ])
})

test.each([
  ['another automation', { automationId: 'farewell' }],
  ['another content', { contentVersionId: 'bye' }],
  ['another sender', { senderIdentityId: 'other' }],
])('%s is another set', (_, more) => {
  const [one, other, third] = [email(), email(more), email()]
  expect(steps(setsOf([one, other, third], fresh, 100))).toEqual([[one.stepId, third.stepId], [other.stepId]])
})

test('a set has at most its size, and the next one is filled from then on', () => {
  const emails = Array.from({ length: 5 }, () => email())
  expect(steps(setsOf(emails, fresh, 2)).map((ids) => ids.length)).toEqual([2, 2, 1])
  expect(steps(setsOf(emails, fresh, 2)).flat()).toEqual(emails.map(({ stepId }) => stepId))
})

test('two emails to one contact are never in one set', () => {
  const contactId = 'ada'
  const emails = [email({ contactId }), email({ contactId }), email(), email({ contactId })]
  const sets = setsOf(emails, fresh, 100)
  expect(sets).toHaveLength(3)
  for (const set of sets) {
    const contacts = set.emails.map((one) => one.contactId)
    expect(new Set(contacts).size).toBe(contacts.length)
  }
  expect(steps(sets).flat().toSorted()).toEqual(emails.map(({ stepId }) => stepId).toSorted())
})

test('messages that are stored stay with those of their batch, and single ones are apart', () => {
  const [first, second, third, fourth] = [email(), email(), email(), email()]
  const stored = new Map([
    [first.stepId, { batch: 7, is_single: false }],
    [second.stepId, { batch: 7, is_single: true }],
    [third.stepId, { batch: 7, is_single: false }],
  ])
  const sets = setsOf([first, second, third, fourth], (stepId) => stored.get(stepId), 100)
  expect(sets.map(({ batch, isSingle }) => [batch, isSingle])).toEqual([
    [7, false],
    [7, true],
    [undefined, false],
  ])
  expect(steps(sets)).toEqual([[first.stepId, third.stepId], [second.stepId], [fourth.stepId]])
})

test('no emails are no sets', () => {
  expect(setsOf([], fresh, 100)).toEqual([])
})
