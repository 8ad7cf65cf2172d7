import { expect, test } from '@jest/globals'
import { firstStepsOf } from './first-steps.ts'

const nothing = {
  hasActiveConnection: false,
  hasReadyDomain: false,
  isGateOpen: false,
  hasEnabledSender: false,
  hasAudience: false,
  hasMembers: false,
  hasContent: false,
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
