import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A JSON value as RFC 8785 text. Throws for what has none: half a surrogate pair, a number beyond a double. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? ''

/** SHA-256 over the RFC 8785 text, lowercase hex: equal values, equal hashes. */
export const sha256Of = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')
