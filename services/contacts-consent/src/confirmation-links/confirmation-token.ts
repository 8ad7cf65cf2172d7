import type { KeyRing } from '../values/key-ring.ts'
import { hexOf, readToken, signToken, unpackId } from '../values/signed-token.ts'

/** The claim of a confirmation link. No personal data. */
export interface ConfirmationClaim {
  readonly workspaceId: string
  readonly confirmationId: string
}

/** Another purpose than that of a preference link, so that neither token is valid for the other. */
const purpose = 0x02

/** One byte of purpose, sixteen an id. */
const pack = ({ workspaceId, confirmationId }: ConfirmationClaim): string =>
  Buffer.from(`${purpose.toString(16).padStart(2, '0')}${hexOf(workspaceId)}${hexOf(confirmationId)}`, 'hex').toString(
    'base64url',
  )

const unpack = (bytes: Buffer): ConfirmationClaim | undefined =>
  bytes[0] === purpose && bytes.length === 33
    ? { workspaceId: unpackId(bytes.subarray(1, 17)), confirmationId: unpackId(bytes.subarray(17, 33)) }
    : undefined

/** Reads a token that any key of the ring signed. Otherwise Fault `invalid_argument`, reason `invalid_token`. */
export const readConfirmationToken = (ring: KeyRing, token: string): ConfirmationClaim => readToken(ring, token, unpack)

/** The URL of the hosted page with the button. It has no time of its own, because the confirmation has one. */
export const confirmationUrl = (baseUrl: string, ring: KeyRing, claim: ConfirmationClaim): string =>
  `${baseUrl}/confirmations/${signToken(ring, pack(claim))}`
