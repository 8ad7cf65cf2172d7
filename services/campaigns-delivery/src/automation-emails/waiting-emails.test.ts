import { expect, test } from '@jest/globals'
import { waitingEmails } from './waiting-emails.ts'

const wait = (reason: string) => ({ outcome: 'waiting' as const, reasons: [reason], retryInMs: 1_000 })

test('emails count while they are under way, and while they wait for capacity until they are asked for again', () => {
  const waiting = waitingEmails()
  waiting.begin(['a', 'b', 'c', 'd', 'e'], 900)
  expect(waiting.count(0)).toBe(5)
  waiting.end('a', { outcome: 'accepted', reasons: [], messageId: 'a', audienceId: null }, 0)
  waiting.end('b', wait('connection_full'), 0)
  waiting.end('c', wait('automation_enabled'), 0)
  waiting.end('d', wait('cooldown'), 0)
  expect(waiting.count(1_000)).toBe(1)
  waiting.begin(['b'], 5_000)
  expect(waiting.count(1_000)).toBe(1)
  waiting.end('b', wait('worker_full'), 1_000)
  expect(waiting.count(11_999)).toBe(1)
  expect(waiting.count(12_000)).toBe(0)
})
