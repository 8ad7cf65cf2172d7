import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { createService, repeat } from '@lettergate/service'
import { addPolls, removePolls, runPollsOfTests } from '../src/polls.ts'
import { until } from '../src/until.ts'

test('a booted service polls while a test waits, and not after its stop', async () => {
  const service = createService('polling', { logLevel: 'silent' })
  let polls = 0
  const poll = repeat(service, 'poll', 5_000, async () => void (polls += 1))
  addPolls(service)
  await until(() => polls >= 3)
  const before = polls
  await turn() // the last run has ended
  runPollsOfTests()
  expect(polls).toBe(before + 1)
  await turn()
  removePolls(service)
  runPollsOfTests()
  expect(polls).toBe(before + 1)
  await poll.stop()
})
