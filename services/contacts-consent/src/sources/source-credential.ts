import { createHash, randomBytes } from 'node:crypto'

/** A new static credential: 256 random bits, recognisable by its prefix. */
export const newSourceCredential = (): string => `lgs_${randomBytes(32).toString('base64url')}`

/** All that is kept of a credential. It has 256 random bits, so a plain hash cannot be guessed back. */
export const credentialSha256 = (credential: string): string => createHash('sha256').update(credential).digest('hex')
