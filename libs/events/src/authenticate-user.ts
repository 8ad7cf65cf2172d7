import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { Codec } from '@nats-io/nkeys/lib/codec.js'
import type { Authenticator } from '@nats-io/transport-node'

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Signs the server's nonce with the user's seed, like `nkeyAuthenticator` of the NATS client. The client computes Ed25519 in
 * JavaScript, which takes 50 ms of processor time for each connection. node:crypto takes less than 1 ms.
 */
export function authenticateUser(seed: string): Authenticator {
  const { prefix, buf } = Codec.decodeSeed(new TextEncoder().encode(seed))
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, buf]), format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  const nkey = new TextDecoder().decode(Codec.encode(prefix, Buffer.from(x!, 'base64url')))
  return (nonce) => ({ nkey, sig: nonce ? sign(null, Buffer.from(nonce), privateKey).toString('base64') : '' })
}
