import { expect, test } from '@jest/globals'
import { ttlCache } from './ttl-cache.ts'

const started = () => {
  const asked: string[] = []
  let now = 1_000
  let fails = false
  const answers = ttlCache({
    maxAgeMs: 3_000,
    clock: () => now,
    load: async (key: string) => {
      asked.push(key)
      if (fails) throw new Error('away')
      return `${key} ${asked.length}`
    },
  })
  return { answers, asked, pass: (ms: number) => void (now += ms), fail: (is: boolean) => void (fails = is) }
}

test('concurrent calls share one load, and its age counts from the start of the load', async () => {
  const { answers, asked, pass } = started()
  expect(await Promise.all([answers.get('a'), answers.get('a'), answers.get('b')])).toEqual(['a 1', 'a 1', 'b 2'])
  pass(2_999)
  expect(await answers.get('a')).toBe('a 1')
  pass(2)
  expect(await answers.get('a')).toBe('a 3')
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('a failed load rejects all waiting calls, and the next call loads again', async () => {
  const { answers, asked, fail } = started()
  fail(true)
  const both = [answers.get('a'), answers.get('a')]
  for (const one of both) await expect(one).rejects.toThrow('away')
  fail(false)
  expect(await answers.get('a')).toBe('a 2')
  expect(asked).toHaveLength(2)
})

test('after a drop everything is loaded again, and an earlier failure removes nothing', async () => {
  const { answers, fail } = started()
  fail(true)
  const before = answers.get('a')
  answers.drop()
  fail(false)
  const after = answers.get('a')
  await expect(before).rejects.toThrow('away')
  expect(await answers.get('a')).toBe(await after)
})

test('at most a thousand values are kept, and the least recently used is removed first', async () => {
  const { answers, asked } = started()
  for (let n = 0; n <= 1_000; n += 1) await answers.get(`k${n}`)
  await answers.get('k1000')
  expect(asked).toHaveLength(1_001)
  await answers.get('k0')
  expect(asked).toHaveLength(1_002)
})

test('a drop with a condition removes the values of its keys only, also those being loaded', async () => {
  const { answers, asked } = started()
  await answers.get('b')
  const before = answers.get('a')
  answers.drop((key) => key === 'a')
  expect(await answers.get('a')).toBe('a 3')
  expect(await before).toBe('a 2')
  expect(await answers.get('b')).toBe('b 1')
  expect(asked).toEqual(['b', 'a', 'a'])
})
