import { expect, test } from '@jest/globals'
import { patient, patiently } from './patiently.ts'

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
