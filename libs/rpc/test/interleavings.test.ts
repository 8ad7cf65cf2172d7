import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { freePort } from '@lettergate/stage/ports'
import fc from 'fast-check'
import { caller, replica, type ArrivedCall, type Replica } from './exchange-fixture.ts'

interface Step {
  how: 'fine' | 'slow-3' | 'slow-20' | 'fault' | 'bug' | 'hold' | 'large-200000' | 'restart'
  afterMs: number
  forMs: number
  cancelAfterMs: number | null
}

const step: fc.Arbitrary<Step> = fc.record({
  how: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('fine', 'slow-3', 'slow-20', 'fault', 'bug', 'hold', 'large-200000') },
    { weight: 1, arbitrary: fc.constant('restart') },
  ) as fc.Arbitrary<Step['how']>,
  afterMs: fc.constantFrom(0, 0, 0, 0, 1, 5),
  forMs: fc.constantFrom(1, 10, 60, 20_000),
  cancelAfterMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 }) },
  ),
})

test('each call ends exactly once with its own answer, in any order of calls, cancellations, deadlines and restarts', async () => {
  const port = await freePort()
  const arrivals: ArrivedCall[] = []
  let server: Replica = await replica(port)
  const { ask, stop } = await caller(port, { renewEveryMs: 70 })
  let n = 0

  const restart = async () => {
    const old = server
    for (const { release } of old.arrivals) release()
    await old.stop()
    arrivals.push(...old.arrivals)
    server = await replica(port)
  }

  async function call({ how, forMs, cancelAfterMs }: Step): Promise<void> {
    const email = `${how}@${(n += 1)}`
    const aborter = new AbortController()
    let settledTimes = 0
    const answered = ask(email, { forMs: how === 'hold' ? Math.min(forMs, 60) : forMs, signal: aborter.signal })
    const outcome = answered.then(
      (contact) => ({ contact, error: undefined }),
      (error: unknown) => ({ contact: undefined, error }),
    )
    void outcome.then(() => (settledTimes += 1))
    if (cancelAfterMs !== null) setTimeout(() => aborter.abort(), cancelAfterMs)
    const { contact, error } = await outcome
    if (contact)
      expect({ email: contact.email, how: how.startsWith('f') && how !== 'fine' }).toEqual({ email, how: false })
    else if (error instanceof Fault && error.code === 'conflict')
      expect({ message: error.message, how }).toEqual({ message: `not ${email}`, how: 'fault' })
    else if (!(error instanceof Fault)) expect(how).toBe('bug')
    else expect(error.code).toBe('unavailable')
    // Only a restart, a cancellation or a deadline may prevent an answer.
    if (error instanceof Fault && error.code === 'unavailable')
      expect(forMs < 20_000 || cancelAfterMs !== null || how === 'hold').toBe(true)
    expect(settledTimes).toBe(1)
  }

  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
        const calls: Promise<void>[] = []
        for (const taken of steps) {
          if (taken.afterMs > 0) await sleep(taken.afterMs)
          if (taken.how === 'restart') await restart()
          else calls.push(call(taken))
        }
        await Promise.all(calls)
      }),
      { numRuns: 10 },
    )
  } finally {
    await stop()
    await server.stop()
  }
  const emails = [...arrivals, ...server.arrivals].map(({ email }) => email)
  expect(emails).toEqual([...new Set(emails)])
})
