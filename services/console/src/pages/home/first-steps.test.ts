import { expect, test } from '@jest/globals'
import { firstStepsOf } from './first-steps.ts'

const nothing = {
  hasActiveConnection: false,
  hasReadyDomain: false,
  hasEnabledSender: false,
  isSendingActive: false,
  hasAudience: false,
  hasMembers: false,
  hasContent: false,
  hasCampaign: false,
}

test('each fact finishes one step', () => {
  expect(firstStepsOf(nothing).filter(({ isDone }) => isDone)).toEqual([])
  for (const fact of Object.keys(nothing))
    expect(firstStepsOf({ ...nothing, [fact]: true }).filter(({ isDone }) => isDone)).toHaveLength(1)
})
