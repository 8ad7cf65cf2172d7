import { expect, test } from '@jest/globals'
import type { IncomingMessage } from 'node:http'
import { clientAddress } from './rate-limit.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage
const key = (address: string) => clientAddress(from(address), 0)

test('all addresses of one IPv6 /64 are one clientin every notation', () => {
  const spellings = [
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0000:0000:0000:0003',
    '2001:db8:1:2::192.0.2.1',
    '2001:db8:1:2::1%eth0',
    '[2001:db8:1:2::7]',
    '[2001:db8:1:2::7]:4711',
    '[2001:db8:1:2::7%25eth0]:4711',
  ]
  expect(new Set(spellings.map(key))).toEqual(new Set(['2001:db8:1:2::/64']))
  expect(key('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(key('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(key('::1')).toBe('0:0:0:0::/64')
  expect(key('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})

test('an IPv4 address is one clientin every notation', () => {
  const spellings = [
    '192.0.2.1',
    '192.0.2.1:4711',
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1',
    '::ffff:c000:201',
    '0:0:0:0:0:ffff:c000:0201',
    '[::ffff:192.0.2.1]:4711',
    '::ffff:192.0.2.1%eth0',
  ]
  expect(new Set(spellings.map(key))).toEqual(new Set(['192.0.2.1']))
  expect(key('::ffff:192.0.2.2')).toBe('192.0.2.2')
})

test('X-Forwarded-For is read in the same way, and a text that is not an address stays unchanged', () => {
  expect(clientAddress(from('10.0.0.1', '6.6.6.6, 2001:db8:1:2::9'), 1)).toBe('2001:db8:1:2::/64')
  expect(clientAddress(from('10.0.0.1', '6.6.6.6, ::ffff:192.0.2.1, 10.0.0.2'), 2)).toBe('192.0.2.1')
  expect(clientAddress(from('::ffff:10.0.0.1'), 1)).toBe('10.0.0.1')
  for (const hidden of ['unknown', '_hidden', '2001:db8:::1', '']) expect(key(hidden)).toBe(hidden)
})
