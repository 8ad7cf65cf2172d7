import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { clientAddress, rateLimit, tooMany } from '../src/rate-limit.ts'

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

test('without trusted proxies no header moves a client', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.string(), (socket, header) => {
      expect(clientAddress(from(socket, header), 0)).toBe(socket)
    }),
  )
})

test('a client cannot choose its address: entries that it adds on the left do not count', () => {
  fc.assert(
    fc.property(fc.array(fc.ipV4()), fc.ipV4(), fc.array(fc.ipV4(), { maxLength: 3 }), (claimed, client, proxies) => {
      const header = [...claimed, client, ...proxies].join(', ')
      expect(clientAddress(from('10.0.0.1', header), proxies.length + 1)).toBe(client)
    }),
  )
})

test('a header with fewer entries than proxies gives the first entry, and one without entries the socket', () => {
  expect(clientAddress(from('10.0.0.1', '192.0.2.1'), 3)).toBe('192.0.2.1')
  for (const header of [undefined, '', ' , ,']) expect(clientAddress(from('10.0.0.1', header), 2)).toBe('10.0.0.1')
  expect(clientAddress(from(undefined), 0)).toBe('unknown')
})

test('every address of an IPv6 /64 is one client, and other networks are other clients', () => {
  const group = fc.nat({ max: 0xffff })
  const network = fc.tuple(group, group, group, group).filter(([a, b, c, d]) => (a | b | c | d) !== 0)
  const host = fc.tuple(group, group, group, group)
  const written = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(':')
  fc.assert(
    fc.property(network, host, host, network, (one, first, second, other) => {
      const key = (groups: readonly number[]) => clientAddress(from(written(groups)), 0)
      expect(key([...one, ...first])).toBe(key([...one, ...second]))
      expect(key([...one, ...first])).toBe(`${written(one)}::/64`)
      if (written(one) !== written(other)) expect(key([...one, ...first])).not.toBe(key([...other, ...first]))
    }),
  )
})

test('an IPv4 client is the same by IPv6, so that it has one limit', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      expect(clientAddress(from(`::ffff:${ip}`), 0)).toBe(ip)
      expect(clientAddress(from(`[::ffff:${ip}]:443`), 0)).toBe(ip)
    }),
  )
})

describe('a limit per minute', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  test('allows so many requests of a key, then says how long to wait, and allows them again a minute later', async () => {
    const limit = rateLimit(3)
    const asked: (number | null)[] = []
    for (let n = 0; n < 5; n += 1) asked.push(await limit.over('a'))
    expect(asked).toEqual([null, null, null, 60, 60])
    expect(await limit.over('b')).toBeNull()
    jest.advanceTimersByTime(58_500)
    expect(await limit.over('a')).toBe(2)
    jest.advanceTimersByTime(1_000)
    expect(await limit.over('a')).toBe(1)
    jest.advanceTimersByTime(500)
    expect(await limit.over('a')).toBeNull()
  })

  test('a request that is taken back does not count, and a dropped key starts anew', async () => {
    const limit = rateLimit(1)
    for (let n = 0; n < 4; n += 1) {
      expect(await limit.over('a')).toBeNull()
      await limit.giveBack('a')
    }
    expect(await limit.over('a')).toBeNull()
    expect(await limit.over('a')).not.toBeNull()
    await limit.forget('a')
    expect(await limit.over('a')).toBeNull()
  })

  test('a limit that is off counts and refuses nothing, and refuses at once when it is on', async () => {
    let isOn = false
    const limit = rateLimit(1, () => isOn)
    for (let n = 0; n < 3; n += 1) expect(await limit.over('a')).toBeNull()
    isOn = true
    expect(await limit.over('a')).toBe(60)
  })
})

test('the refusal of a limit says when to come back', () => {
  expect(tooMany(7, 'rate_limit_caller')).toMatchObject({
    status: 429,
    code: 'resource_exhausted',
    reason: 'rate_limit_caller',
    headers: { 'Retry-After': '7' },
  })
})
