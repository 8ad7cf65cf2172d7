import { createHash } from 'node:crypto'
import type { KeyRing } from '../values/key-ring.ts'
import { hexOf, readToken, signToken, unpackId } from '../values/signed-token.ts'

/** The claim of a preference link: the contact, the workspace, the audience and the time. No personal data. */
export interface PreferenceClaim {
  readonly workspaceId: string
  readonly contactId: string
  /** null means the whole workspace */
  readonly audienceId: string | null
  readonly issuedAt: Date
}

/** The first byte of every payload, so that a signature for one purpose is never valid for another. */
const purpose = 0x01

/** One byte of purpose, six of seconds since 1970, sixteen an id. */
function pack({ issuedAt, workspaceId, contactId, audienceId }: PreferenceClaim): string {
  const seconds = Math.floor(issuedAt.getTime() / 1000)
    .toString(16)
    .padStart(12, '0')
  const ids = hexOf(workspaceId) + hexOf(contactId) + (audienceId === null ? '' : hexOf(audienceId))
  return Buffer.from(`${purpose.toString(16).padStart(2, '0')}${seconds}${ids}`, 'hex').toString('base64url')
}

function unpack(bytes: Buffer): PreferenceClaim | undefined {
  if (bytes[0] !== purpose || (bytes.length !== 39 && bytes.length !== 55)) return undefined
  return {
    workspaceId: unpackId(bytes.subarray(7, 23)),
    contactId: unpackId(bytes.subarray(23, 39)),
    audienceId: bytes.length === 55 ? unpackId(bytes.subarray(39, 55)) : null,
    issuedAt: new Date(bytes.readUIntBE(1, 6) * 1000),
  }
}

/** `kid.payload.signature`, safe in a URL. It never expires and holds ids only. */
export const signPreferenceToken = (ring: KeyRing, claim: PreferenceClaim): string => signToken(ring, pack(claim))

/** Reads a token that any key of the ring signed. Otherwise Fault `invalid_argument`, reason `invalid_token`. */
export const readPreferenceToken = (ring: KeyRing, token: string): PreferenceClaim => readToken(ring, token, unpack)

/** An aged link works like any other. The page shows that it is from an older email. */
export const isAged = (claim: PreferenceClaim, now: Date, maxAgeSeconds: number): boolean =>
  now.getTime() - claim.issuedAt.getTime() > maxAgeSeconds * 1000

const dayMs = 86_400_000

/**
 * The id of the single audit event for repeated uses of a link on one day (UTC): a UUIDv7 of the start of that day, with a hash
 * of the link in the other bits.
 */
export function repeatedUseId(claim: PreferenceClaim, now: Date): string {
  const day = Math.floor(now.getTime() / dayMs) * dayMs
  const link = createHash('sha256')
    .update(`${day} ${pack(claim)}`)
    .digest()
  const id = Buffer.concat([Buffer.alloc(6), link.subarray(0, 10)])
  id.writeUIntBE(day, 0, 6)
  id[6] = 0x70 | (id[6]! & 0x0f)
  id[8] = 0x80 | (id[8]! & 0x3f)
  return unpackId(id)
}

/** The URLs of the hosted page and of the one-click target of RFC 8058, without the token at their end. */
export const linkBases = (baseUrl: string) => ({
  preferenceUrl: `${baseUrl}/preferences/`,
  oneClickUrl: `${baseUrl}/preferences/one-click/`,
})

/** The two URLs of one token. */
export function linkUrls(baseUrl: string, token: string) {
  const { preferenceUrl, oneClickUrl } = linkBases(baseUrl)
  return { preferenceUrl: preferenceUrl + token, oneClickUrl: oneClickUrl + token }
}
