import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'

/** An Ed25519 key that signs consent proofs. Its public key and fingerprint are public. */
export interface ProofKey {
  readonly keyId: string
  readonly privateKey: KeyObject
  /** SubjectPublicKeyInfo (DER), base64 */
  readonly publicKey: string
  /** SHA-256 of those bytes, hex */
  readonly fingerprint: string
}

const keyIdPattern = /^[A-Za-z0-9_-]{1,32}$/
const seedBytes = 32
/** The fixed beginnings of an Ed25519 key in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const publicKeyBytes = spkiPrefix.length + 32

const fingerprintOf = (der: Buffer) => createHash('sha256').update(der).digest('hex')

/** Parses `key_id:base64url,…`, each a seed of 256 bits; the first one signs. The message of a thrown Error contains no key. */
export function parseProofKeys(text: string): readonly [ProofKey, ...ProofKey[]] {
  const keys = text.split(',').map((entry): ProofKey => {
    const [keyId = '', encoded = '', ...rest] = entry.trim().split(':')
    if (!keyIdPattern.test(keyId) || rest.length > 0 || !/^[A-Za-z0-9_-]+$/.test(encoded)) {
      throw new Error('must be a comma list of key_id:base64url')
    }
    const seed = Buffer.from(encoded, 'base64url')
    if (seed.length !== seedBytes) throw new Error(`must hold Ed25519 seeds of ${seedBytes * 8} bits`)
    const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
    const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    return { keyId, privateKey, publicKey: der.toString('base64'), fingerprint: fingerprintOf(der) }
  })
  if (new Set(keys.map((key) => key.keyId)).size !== keys.length) throw new Error('must not name a key_id twice')
  return keys as [ProofKey, ...ProofKey[]]
}

export const signText = (key: ProofKey, text: string): string =>
  sign(null, Buffer.from(text), key.privateKey).toString('hex')

/** The fingerprint of a public key in a proof; undefined if it is not a key in canonical encoding. */
export function fingerprintOfPublicKey(publicKey: string): string | undefined {
  const der = Buffer.from(publicKey, 'base64')
  const isEd25519 = der.length === publicKeyBytes && der.subarray(0, spkiPrefix.length).equals(spkiPrefix)
  return isEd25519 && der.toString('base64') === publicKey ? fingerprintOf(der) : undefined
}

/** Whether this key signed this text. Only the canonical encoding of a signature is accepted. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  if (!/^[0-9a-f]{128}$/.test(signature) || fingerprintOfPublicKey(publicKey) === undefined) return false
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}
