import { expect, test } from '@jest/globals'
import { nkeyAuthenticator, nkeys } from '@nats-io/transport-node'
import { authenticateUser } from './authenticate-user.ts'

const seedOf = (user: ReturnType<typeof nkeys.createUser>) => new TextDecoder().decode(user.getSeed())

test('answers every nonce with the same public key and signature as the NATS client', () => {
  for (const nonce of ['', 'a', 'pSzmZ1bMwQ8', 'nonce with é']) {
    const user = nkeys.createUser()
    expect(authenticateUser(seedOf(user))(nonce)).toEqual({ ...nkeyAuthenticator(user.getSeed())(nonce) })
  }
})

test('a seed with a wrong character is refused before anything is sent', () => {
  const seed = seedOf(nkeys.createUser())
  const wrong = `${seed.slice(0, 20)}${seed[20] === 'A' ? 'B' : 'A'}${seed.slice(21)}`
  expect(() => authenticateUser(wrong)).toThrow()
  expect(() => authenticateUser('SUAAA')).toThrow()
})
