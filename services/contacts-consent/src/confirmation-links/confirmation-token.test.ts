import { expect, test } from '@jest/globals'
import { readPreferenceToken, signPreferenceToken } from '../preferences/preference-token.ts'
import { parseKeyRing } from '../values/key-ring.ts'
import { confirmationUrl, readConfirmationToken } from './confirmation-token.ts'

const secret = (fill: string) => Buffer.alloc(32, fill).toString('base64url')
const ring = parseKeyRing(`one:${secret('a')}`)
const claim = {
  workspaceId: '0199a3c4-49fe-77db-98c4-7c956689ffb3',
  confirmationId: '0199a3c4-2370-75c2-9bca-171eae5da856',
}
const tokenOf = (keys = ring) => confirmationUrl('https://example.com', keys, claim).split('/').at(-1)!

test('the link names the confirmation, and a rotated key still reads it', () => {
  expect(confirmationUrl('https://example.com', ring, claim)).toMatch(
    /^https:\/\/example\.com\/confirmations\/one\.[\w-]+\.[\w-]+$/,
  )
  expect(readConfirmationToken(parseKeyRing(`two:${secret('b')},one:${secret('a')}`), tokenOf())).toEqual(claim)
})

test('a token of another key, another purpose, or with a change is refused', () => {
  const foreign = tokenOf(parseKeyRing(`one:${secret('b')}`))
  const preference = signPreferenceToken(ring, {
    workspaceId: claim.workspaceId,
    contactId: claim.confirmationId,
    audienceId: null,
    issuedAt: new Date(),
  })
  for (const token of [foreign, preference, `${tokenOf()}x`, tokenOf().replace('one.', 'two.'), ''])
    expect(() => readConfirmationToken(ring, token)).toThrow('This link is not valid')
  expect(() => readPreferenceToken(ring, tokenOf())).toThrow('This link is not valid')
})
