import { expect, test } from '@jest/globals'
import type { IncomingMessage } from 'node:http'
import { Fault } from '@lettergate/fault'
import { rateLimit } from '@lettergate/http/rate-limit'
import { guessLimit } from './guess-limit.ts'

const from = (address: string) => ({ socket: { remoteAddress: address }, headers: {} }) as unknown as IncomingMessage
const nobody = new Fault('unauthenticated', 'token', 'Nobody.')
const inactive = new Fault('unauthenticated', 'credential', 'Not now.')

function openGuesses(perMinute: number, rememberMs = 60_000) {
  const asked: string[] = []
  const answers = new Map<string, unknown>()
  const guesses = guessLimit({
    limit: rateLimit(perMinute),
    trustedProxies: 0,
    rememberMs,
    isFinal: (refusal) => refusal.reason === 'token',
  })
  return {
    asked,
    /** The result of the work for a credential: a fault is thrown, another value is returned. */
    answers,
    guard: (credential: string, address = 'a') =>
      guesses.guard(from(address), credential, async () => {
        asked.push(credential)
        await Promise.resolve()
        const answer = answers.has(credential) ? answers.get(credential) : nobody
        if (answer instanceof Error) throw answer
        return answer
      }),
  }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'good',
    (error: unknown) => (error instanceof Fault ? error.code : 'bug'),
  )

test('concurrent guesses over the limit are 429 without work, and other addresses are not affected', async () => {
  const { asked, guard } = openGuesses(5)
  const codes = await Promise.all(Array.from({ length: 300 }, (_, index) => codeOf(guard(`guess-${index}`))))
  expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(5)
  expect(codes.filter((code) => code === 'resource_exhausted')).toHaveLength(295)
  expect(asked).toHaveLength(5)
  expect(await codeOf(guard('guess-of-another', 'b'))).toBe('unauthenticated')
})

test('a rejected token is checked once, for any number of requests and addresses', async () => {
  const { asked, guard } = openGuesses(5)
  const codes = await Promise.all(Array.from({ length: 300 }, (_, index) => codeOf(guard('t', `address-${index % 7}`))))
  expect(new Set(codes)).toEqual(new Set(['unauthenticated']))
  expect(await codeOf(guard('t'))).toBe('unauthenticated')
  expect(asked).toEqual(['t'])
})

test('a refusal that may change is not remembered, but concurrent requests share it', async () => {
  const { asked, answers, guard } = openGuesses(5)
  answers.set('source', inactive)
  await Promise.all(Array.from({ length: 50 }, () => codeOf(guard('source'))))
  expect(asked).toHaveLength(1)
  answers.set('source', 'good')
  expect(await codeOf(guard('source'))).toBe('good')
})

test('a valid credential does not count for its address, and works when the address has reached its limit', async () => {
  const { asked, answers, guard } = openGuesses(5)
  answers.set('good', 'good')
  const codes = await Promise.all(Array.from({ length: 300 }, () => codeOf(guard('good'))))
  expect(new Set(codes)).toEqual(new Set(['good']))
  expect(asked).toHaveLength(300)
  for (let guess = 0; guess < 9; guess += 1) await codeOf(guard(`guess-${guess}`))
  expect(await codeOf(guard('guess'))).toBe('resource_exhausted')
  expect(await codeOf(guard('good'))).toBe('good')
})

test('300 valid credentials of one address, ten of them concurrent, are all accepted', async () => {
  const { answers, guard } = openGuesses(10)
  for (let round = 0; round < 30; round += 1) {
    const tokens = Array.from({ length: 10 }, (_, index) => `${round} ${index}`)
    for (const token of tokens) answers.set(token, 'good')
    expect(new Set(await Promise.all(tokens.map((token) => codeOf(guard(token)))))).toEqual(new Set(['good']))
  }
})

test('a credential that is no longer valid counts like an unknown one', async () => {
  const { asked, answers, guard } = openGuesses(2)
  answers.set('revoked', 'good')
  await guard('revoked')
  answers.set('revoked', nobody)
  for (let again = 0; again < 5; again += 1) expect(await codeOf(guard('revoked'))).toBe('unauthenticated')
  expect(asked).toHaveLength(2)
})

test('an outage does not count as a guess, and does not make a credential valid', async () => {
  const { answers, guard } = openGuesses(2)
  answers.set('t', new Fault('unavailable', 'wallet', 'Away.'))
  const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(guard('t'))))
  expect(new Set(codes)).toEqual(new Set(['unavailable']))
  answers.set('bug', new Error('a bug'))
  expect(await codeOf(guard('bug'))).toBe('bug')
  for (const guess of ['x', 'y']) expect(await codeOf(guard(guess))).toBe('unauthenticated')
  expect(await codeOf(guard('t'))).toBe('resource_exhausted')
})

test('a refusal for another reason than the credential makes the credential known as valid', async () => {
  const { answers, guard } = openGuesses(1)
  answers.set('t', new Fault('permission_denied', 'source', 'Another source.'))
  for (let again = 0; again < 5; again += 1) expect(await codeOf(guard('t'))).toBe('permission_denied')
  expect(await codeOf(guard('guess'))).toBe('unauthenticated')
  expect(await codeOf(guard('t'))).toBe('permission_denied')
})

test('after a trial ends the other requests continue, while the work of the first still runs', async () => {
  const guesses = guessLimit({ limit: rateLimit(1), trustedProxies: 0, rememberMs: 0, isFinal: () => true })
  const upload = Promise.withResolvers<string>()
  const asked: string[] = []
  const trial = async () => void asked.push('trial')
  const slow = guesses.guard(from('a'), 'source', () => upload.promise, trial)
  expect(await guesses.guard(from('a'), 'source', async () => 'quick', trial)).toBe('quick')
  upload.resolve('slow')
  expect(await slow).toBe('slow')
  expect(asked).toEqual(['trial'])
})

test('no work starts for a credential whose trial fails', async () => {
  const guesses = guessLimit({ limit: rateLimit(1), trustedProxies: 0, rememberMs: 0, isFinal: () => true })
  const begun: string[] = []
  const work = async () => void begun.push('work')
  const fail = () => Promise.reject(nobody)
  expect(await codeOf(guesses.guard(from('a'), 'guess', work, fail))).toBe('unauthenticated')
  expect(await codeOf(guesses.guard(from('a'), 'guess', work, fail))).toBe('resource_exhausted')
  expect(begun).toEqual([])
})
