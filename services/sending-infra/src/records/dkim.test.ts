import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { compareDkimAlias, compareDkimKey } from './dkim.ts'
import type { DnsAnswer } from './dns-answer.ts'

const keyOf = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const key = keyOf(1_024)
const other = keyOf(1_024)
const small = keyOf(512)
const expected = `k=rsa; p=${key}`
const answer = (...values: string[]): DnsAnswer => ({ kind: 'records', values })

describe('DKIM', () => {
  test.each([
    ['the same value', expected],
    ['a version tag in front', `v=DKIM1; k=rsa; p=${key}`],
    ['default tags left out', `p=${key}`],
    ['a trailing semicolon and other spacing', `k = rsa ;p= ${key.slice(0, 40)} ${key.slice(40)} ;`],
    ['another order of tags', `p=${key};k=rsa`],
  ])('%s is the record of the provider', (_, value) => {
    expect(compareDkimKey(expected, answer(value))).toMatchObject({ state: 'verified' })
  })

  test.each<[string, DnsAnswer, RegExp]>([
    ['nothing', { kind: 'none' }, /no DKIM record/],
    ['something else under the name', answer('v=spf1 -all'), /no DKIM record/],
    ["another's key", answer(`k=rsa; p=${other}`), /not the provider's/],
    ['a key cut short', answer(`k=rsa; p=${key.slice(0, -10)}`), /not a readable RSA key|not the provider's/],
    ['a revoked key', answer('k=rsa; p='), /revoked/],
    ['a testing flag the provider did not ask for', answer(`${expected}; t=y`), /not the provider's/],
    ['two records', answer(expected, `k=rsa; p=${other}`), /more than one/],
    ['two tags of one name', answer(`${expected}; p=${key}`), /no DKIM record/],
  ])('%s fails and says why', (_, found, why) => {
    expect(compareDkimKey(expected, found)).toMatchObject({ state: 'failed', detail: expect.stringMatching(why) })
  })

  test('a key that receivers ignore fails even if the provider requires it', () => {
    expect(compareDkimKey(`k=rsa; p=${small}`, answer(`k=rsa; p=${small}`))).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(/512 bits/),
    })
  })

  test('without an answer of the DNS the state is pending', () => {
    expect(compareDkimKey(expected, { kind: 'no_answer', why: 'timeout' })).toMatchObject({ state: 'pending' })
    expect(compareDkimAlias('k1.provider.test', { kind: 'no_answer', why: 'timeout' })).toMatchObject({
      state: 'pending',
    })
  })

  test('an alias must point to the key at the provider', () => {
    expect(compareDkimAlias('K1.provider.test.', answer('k1.Provider.test'))).toMatchObject({ state: 'verified' })
    expect(compareDkimAlias('k1.provider.test', answer('k2.provider.test'))).toMatchObject({ state: 'failed' })
    expect(compareDkimAlias('k1.provider.test', { kind: 'none' })).toMatchObject({ state: 'failed' })
  })
})
