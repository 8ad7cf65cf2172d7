import { expect, test } from '@jest/globals'
import { firstStepsOf } from './first-steps.ts'

const nothing = {
  hasActiveConnection: false,
  hasReadyDomain: false,
  hasAudience: false,
  hasMembers: false,
  hasContent: false,
  isGateOpen: false,
  hasEnabledSender: false,
  hasTestSend: false,
  isSendingActive: false,
  hasCampaign: false,
  hasRun: false,
}

test('each fact finishes one step, in the order from the connection to the first campaign', () => {
  expect(firstStepsOf(nothing).filter(({ isDone }) => isDone)).toEqual([])
  const facts = Object.keys(nothing)
  for (const [index, fact] of facts.entries())
    expect(firstStepsOf({ ...nothing, [fact]: true }).map(({ isDone }) => isDone)).toEqual(
      facts.map((_, step) => step === index),
    )
})

test('a file is imported before anything can send, and its consents under review are named', () => {
  const titles = firstStepsOf(nothing).map(({ title }) => title)
  const people = titles.findIndex((title) => title.startsWith('Get people into it'))
  for (const title of ['Open the platform gate for production sending', 'Enable a sender', 'Send yourself a test'])
    expect(titles.indexOf(title)).toBeGreaterThan(people)
  expect(firstStepsOf(nothing)[people]!.before).not.toContain('under review')
  expect(firstStepsOf(nothing, true)[people]!.before).toContain('under review')
})
