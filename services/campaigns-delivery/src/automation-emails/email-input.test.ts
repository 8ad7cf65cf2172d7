import { create } from '@bufbuild/protobuf'
import { AutomationEmailSchema } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { audiencesMax, emailsMax, parseEmails } from './email-input.ts'

const email = (more: Partial<Parameters<typeof create<typeof AutomationEmailSchema>>[1]> = {}) =>
  create(AutomationEmailSchema, {
    stepId: newId(),
    enrollmentId: newId(),
    automationId: newId(),
    contactId: newId(),
    audienceIds: [newId()],
    contentVersionId: newId(),
    senderIdentityId: newId(),
    traceparent: '',
    ...more,
  })

test('emails are found by their step id in lower case', () => {
  const given = email()
  const parsed = parseEmails([{ ...given, stepId: given.stepId.toUpperCase() }])
  expect([...parsed.keys()]).toEqual([given.stepId])
  expect(parsed.get(given.stepId)).toMatchObject({ stepId: given.stepId, contactId: given.contactId })
})

test('a step that is given twice is there once', () => {
  const given = email()
  expect(parseEmails([given, given, email()]).size).toBe(2)
})

test('each candidate is asked about once, in the order of preference', () => {
  const [first, second] = [newId(), newId()]
  const [parsed] = parseEmails([email({ audienceIds: [second, first, second.toUpperCase()] })]).values()
  expect(parsed!.audienceIds).toEqual([second, first])
})

test.each(['stepId', 'enrollmentId', 'automationId', 'contactId', 'contentVersionId', 'senderIdentityId'] as const)(
  'a %s that is no UUID is refused with the name of the field',
  (key) => {
    const field = key.replace(/[A-Z]/g, (upper) => `_${upper.toLowerCase()}`)
    for (const value of ['', 'x', `${newId()} `])
      expect(() => parseEmails([email({ [key]: value })])).toThrow(expect.objectContaining({ reason: field }))
  },
)

test('the limits are those of the description', () => {
  const many = Array.from({ length: emailsMax }, () => email())
  expect(parseEmails(many).size).toBe(emailsMax)
  expect(() => parseEmails([...many, email()])).toThrow(expect.objectContaining({ reason: 'emails' }))
  const audiences = Array.from({ length: audiencesMax }, newId)
  expect(parseEmails([email({ audienceIds: audiences })]).size).toBe(1)
  expect(() => parseEmails([email({ audienceIds: [...audiences, newId()] })])).toThrow(
    expect.objectContaining({ reason: 'audience_ids' }),
  )
})
