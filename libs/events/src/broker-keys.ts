import { nkeys } from '@nats-io/transport-node'

const text = new TextDecoder()
const bytes = new TextEncoder()

/** A new key pair of a user. The seed is secret; the server identifies the user by the public key. */
export function makeKey(): { seed: string; publicKey: string } {
  const pair = nkeys.createUser()
  return { seed: text.decode(pair.getSeed()), publicKey: pair.getPublicKey() }
}

export const publicKeyOf = (seed: string): string => nkeys.fromSeed(bytes.encode(seed)).getPublicKey()
