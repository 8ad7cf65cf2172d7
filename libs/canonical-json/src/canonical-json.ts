import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A JSON value as RFC 8785 text. Throws for what has none: half a surrogate pair, a number beyond a double. */
export const canonicalJson = (value: unknown): string => flatJson(value) ?? canonicalize(value) ?? ''

/** SHA-256 over the RFC 8785 text, lowercase hex: equal values, equal hashes. */
export const sha256Of = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex')

/** JSON.stringify keeps the order of keys, except of those that begin with a digit. `__proto__` is no key of an object literal. */
const isOrdered = (key: string) => !(key[0]! >= '0' && key[0]! <= '9') && key !== '__proto__' && key.isWellFormed()

const isPlain = (value: unknown) =>
  (typeof value === 'string' && value.isWellFormed()) || Number.isFinite(value) || typeof value === 'boolean'

/** The same text for an object of texts, numbers and booleans, as rows of tables are, in a third of the time. Otherwise undefined. */
function flatJson(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const sorted: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort()) {
    const one = (value as Record<string, unknown>)[key]
    if (!isPlain(one) || !isOrdered(key)) return undefined
    sorted[key] = one
  }
  return JSON.stringify(sorted)
}

function withoutNulls(row: object): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const key in row) {
    const value = (row as Record<string, unknown>)[key]
    if (value !== null && value !== undefined) given[key] = value
  }
  return given
}

/** The hash of a row of a table. Null columns are left out, so that a column that is added later changes no hash. */
export const rowSha256 = (row: object): string => sha256Of(withoutNulls(row))

/** The hash over all fields of a seal in a hash chain except its own hash. */
export const sealSha256 = (seal: object): string => {
  const { sha256: _, ...fields } = seal as Record<string, unknown>
  return rowSha256(fields)
}
