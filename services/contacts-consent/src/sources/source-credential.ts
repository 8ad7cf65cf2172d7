import { createHash, randomBytes } from 'node:crypto'

/** A new static credential: 256 random bits, recognisable by its prefix. */
export const newSourceCredential = (): string => `lgs_${randomBytes(32).toString('base64url')}`

/** The stored hash of a credential. With 256 random bits, a plain hash is safe. */
export const credentialSha256 = (credential: string): string => createHash('sha256').update(credential).digest('hex')
