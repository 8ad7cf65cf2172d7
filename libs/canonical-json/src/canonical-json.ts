import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A JSON value as RFC 8785 text. Throws for what has none: half a surrogate pair, a number beyond a double. */
export const canonicalJson = (value: unknown): string =>
  isFlat(value) ? rowJson(value, keyOrder()) : (canonicalize(value) ?? '')

/** SHA-256 over the RFC 8785 text, lowercase hex: equal values, equal hashes. */
export const sha256Of = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex')

/** An object literal of texts, numbers and booleans only, as rows of tables are. */
function isFlat(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false
  return Object.values(value).every(
    (one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean',
  )
}

/** A key of an object, and how it begins its part of the text. */
interface SortedKey {
  readonly key: string
  readonly name: string
}

type KeyOrder = (row: object) => readonly SortedKey[]

/** The rows of a table have the same keys, so their order is computed once. */
function keyOrder(): KeyOrder {
  let last: readonly string[] = []
  let sorted: readonly SortedKey[] = []
  return (row) => {
    const keys = Object.keys(row)
    let isSame = keys.length === last.length
    for (let at = 0; isSame && at < keys.length; at += 1) isSame = keys[at] === last[at]
    if (isSame) return sorted
    last = keys
    sorted = keys.toSorted().map((key) => ({ key, name: `${canonicalize(key)}:` }))
    return sorted
  }
}

/** Texts that are the same in JSON: almost all. */
const plainText = /^[ !#-[\]-~]*$/

/** The text of a row, without the columns that are null or undefined, and without `leftOut`. In a third of the time of `canonicalize`. */
function rowJson(row: object, keysOf: KeyOrder, leftOut?: string): string {
  let text = ''
  for (const { key, name } of keysOf(row)) {
    const value = (row as Record<string, unknown>)[key]
    if (value === null || value === undefined || key === leftOut) continue
    text += text === '' ? name : `,${name}`
    if (typeof value === 'string' && plainText.test(value)) text += `"${value}"`
    else text += typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : canonicalize(value)
  }
  return `{${text}}`
}

const keysOfRow = keyOrder()
const keysOfSeal = keyOrder()

/** The hash of a row of a table. Null columns are left out, so that a column that is added later changes no hash. */
export const rowSha256 = (row: object): string => hash('sha256', rowJson(row, keysOfRow), 'hex')

/** The hash over all fields of a seal in a hash chain except its own hash. */
export const sealSha256 = (seal: object): string => hash('sha256', rowJson(seal, keysOfSeal, 'sha256'), 'hex')
