import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault, httpStatusOf, type FaultCode } from '@lettergate/fault'
import { HttpFault, breaker, faultStatus, reasonOf } from '../src/http.ts'

const codes = Object.keys(httpStatusOf) as FaultCode[]
const outage = () => Promise.reject(new Fault('unavailable', 'down', 'later'))
const refusal = () => Promise.reject(new Fault('not_found', 'row', 'no'))

test.each(codes)(
  'a Fault of the code %s opens the breaker only when it says that the other side is away',
  async (code) => {
    const guard = breaker('provider', { failuresMax: 1, clock: () => 0 })
    await expect(guard.run(() => Promise.reject(new Fault(code, 'x', 'x')))).rejects.toMatchObject({ code })
    expect(guard.state).toBe(code === 'unavailable' ? 'open' : 'closed')
  },
)

test('the refusal of an open breaker names the other side and does not run the work', async () => {
  const guard = breaker('wallet', { failuresMax: 1, clock: () => 0 })
  await expect(guard.run(outage)).rejects.toThrow('later')
  let calls = 0
  await expect(guard.run(async () => (calls += 1))).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'wallet_unavailable',
  })
  expect(calls).toBe(0)
})

test('failures count only in a row: any answer of the other side starts anew', async () => {
  for (const answer of [() => Promise.resolve('fine'), refusal]) {
    const guard = breaker('provider', { failuresMax: 3, clock: () => 0 })
    for (let round = 0; round < 5; round += 1) {
      await expect(guard.run(outage)).rejects.toThrow()
      await expect(guard.run(outage)).rejects.toThrow()
      await guard.run(answer as () => Promise<unknown>).catch(() => undefined)
    }
    expect(guard.state).toBe('closed')
  }
})

test('a refusal at the trial closes the breaker, because the other side has answered', async () => {
  let now = 0
  const guard = breaker('provider', { failuresMax: 1, openMs: 1_000, clock: () => now })
  await expect(guard.run(outage)).rejects.toThrow()
  now = 1_000
  await expect(guard.run(refusal)).rejects.toMatchObject({ code: 'not_found' })
  expect(guard.state).toBe('closed')
})

test('work that throws before it returns a promise is a failure like any other', async () => {
  const guard = breaker('provider', { failuresMax: 1, clock: () => 0 })
  const work = () => {
    throw new Error('thrown')
  }
  await expect(guard.run(work)).rejects.toThrow('thrown')
  expect(guard.state).toBe('open')
})

test('in any order of answers, failures and time the breaker does what its three states say', async () => {
  const step = fc.record({
    result: fc.constantFrom('answer', 'refusal', 'outage'),
    afterMs: fc.constantFrom(0, 0, 0, 1, 400, 600, 1_000),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, failuresMax) => {
      let now = 0
      const guard = breaker('provider', { failuresMax, openMs: 1_000, clock: () => now })
      let failures = 0
      let openedAt: number | undefined
      for (const { result, afterMs } of steps) {
        now += afterMs
        const isOpen = openedAt !== undefined && now < openedAt + 1_000
        expect(guard.state).toBe(openedAt === undefined ? 'closed' : isOpen ? 'open' : 'half_open')
        let hasRun = false
        await guard
          .run(() => {
            hasRun = true
            return result === 'answer' ? Promise.resolve() : result === 'refusal' ? refusal() : outage()
          })
          .catch(() => undefined)
        expect(hasRun).toBe(!isOpen)
        if (!hasRun) continue
        if (result !== 'outage') [failures, openedAt] = [0, undefined]
        else {
          failures += 1
          if (openedAt !== undefined || failures >= failuresMax) openedAt = now
        }
      }
    }),
  )
})

const text = fc.string({ unit: 'grapheme', maxLength: 80 })

test('every reason that a client sees is lower_snake_case, whatever the fault names', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), text, (code, reason) => {
      expect(reasonOf(new Fault(code, reason, 'x'))).toMatch(/^[a-z][a-z0-9_]{0,71}$/)
    }),
  )
  fc.assert(
    fc.property(fc.constantFrom(400, 404, 405, 409, 413, 415, 422, 429, 501, 503), text, (status, reason) => {
      expect(reasonOf(new HttpFault(status, reason, 'x'))).toMatch(/^[a-z][a-z0-9_]{0,71}$/)
    }),
  )
})

test('every unknown or foreign thing has the same reason', () => {
  fc.assert(
    fc.property(text, (reason) => {
      expect(reasonOf(new Fault('not_found', reason, 'x'))).toBe('not_found')
      expect(reasonOf(new HttpFault(404, reason, 'x'))).toBe('not_found')
    }),
  )
})

test.each([
  ['email', 'invalid_email'],
  ['contact.email', 'invalid_contact'],
  ['items[3].id', 'invalid_items'],
  ['Idempotency-Key', 'invalid_idempotency_key'],
  ['invalid_cursor', 'invalid_cursor'],
  ['größe', 'invalid_request'],
  ['', 'invalid_request'],
])('the field %j that is wrong has the reason %s', (field, reason) => {
  expect(reasonOf(new Fault('invalid_argument', field, 'x'))).toBe(reason)
})

test('an HttpFault has its own status, and every other Fault the status of its code', () => {
  for (const code of codes) expect(faultStatus(new Fault(code, 'x', 'x'))).toBe(httpStatusOf[code])
  for (const status of [400, 405, 413, 415, 431, 501]) expect(faultStatus(new HttpFault(status, 'x', 'x'))).toBe(status)
})
