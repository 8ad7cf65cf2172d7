import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import type { KeyRing } from './key-ring.ts'

const tokenCharsMax = 256

const sign = (key: KeyObject, signed: string) => createHmac('sha256', key).update(signed).digest('base64url')

/** `kid.payload.signature`, safe in a URL. The first byte of every payload names its purpose. `payload` is base64url. */
export function signToken(ring: KeyRing, payload: string): string {
  const signed = `${ring.signing.kid}.${payload}`
  return `${signed}.${sign(ring.signing.key, signed)}`
}

/** Reads the payload of a token that any key of the ring signed. Otherwise Fault `invalid_argument`, reason `invalid_token`. */
export function readToken<Claim>(ring: KeyRing, token: string, unpack: (payload: Buffer) => Claim | undefined): Claim {
  const invalid = new Fault(
    'invalid_argument',
    'invalid_token',
    'This link is not valid. Open the link exactly as it is in the email.',
  )
  if (token.length > tokenCharsMax) throw invalid
  const [kid = '', payload = '', signature = '', ...rest] = token.split('.')
  const key = ring.byKid.get(kid)
  if (!key || rest.length > 0) throw invalid
  // The texts are compared, not the decoded bytes: base64url has several spellings of one value.
  const expected = Buffer.from(sign(key, `${kid}.${payload}`))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid
  const claim = unpack(Buffer.from(payload, 'base64url'))
  if (!claim) throw invalid
  return claim
}

/** The id at this place of a payload. */
export function unpackId(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Slices are faster than `replaceAll`, and a campaign needs three of these for each message. */
export const hexOf = (id: string) =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24)
