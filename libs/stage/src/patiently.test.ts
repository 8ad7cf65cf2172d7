import { expect, test } from '@jest/globals'
import { patient, patiently, untilDatabaseAnswers } from './patiently.ts'

const refusing = (times: number, code: string) => {
  let calls = 0
  return {
    async call(...given: string[]) {
      calls += 1
      if (calls <= times) throw Object.assign(new Error(`refusal ${calls}`), { code })
      return [calls, ...given].join(' ')
    },
  }
}

test('a call that is unavailable is repeated until it is answered, with the same request', async () => {
  const client = refusing(2, 'unavailable')
  await expect(patient(client).call('a', 'b')).resolves.toBe('3 a b')
  const busy = refusing(3, 'unavailable')
  await expect(patiently(() => busy.call(), 3)).rejects.toThrow('refusal 3')
})

test('every other refusal is thrown at once', async () => {
  await expect(patient(refusing(1, 'not_found')).call()).rejects.toThrow('refusal 1')
})

const refused = (code: string, reason: string) => Object.assign(new Error(`${code} ${reason}`), { code, reason })
/** A call that fails with these errors, one after the other, and then answers what it was given. */
function failing(...errors: Error[]) {
  let calls = 0
  const call = untilDatabaseAnswers('call', (given: string) => {
    const error = errors[calls]
    calls += 1
    return error ? Promise.reject(error) : Promise.resolve(given)
  })
  return { call, calls: () => calls }
}

test('a call is repeated while the database is too busy for it', async () => {
  const { call, calls } = failing(refused('unavailable', 'database'), refused('unavailable', 'busy'))
  expect(await call('given')).toBe('given')
  expect(calls()).toBe(3)
})

test.each([refused('unavailable', 'wallet'), refused('conflict', 'busy'), new Error('database')])(
  'a call is not repeated after %s',
  async (error) => {
    const { call, calls } = failing(error)
    await expect(call('given')).rejects.toBe(error)
    expect(calls()).toBe(1)
  },
)

test('a database that stays too busy fails the call', async () => {
  const busy = refused('unavailable', 'busy')
  const { call, calls } = failing(...Array.from({ length: 20 }, () => busy))
  await expect(call('given')).rejects.toBe(busy)
  expect(calls()).toBe(10)
})
