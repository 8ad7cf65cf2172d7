import { Fault } from '@lettergate/fault'

/** Deeper than every valid document, and shallow enough for recursive code. */
export const depthMax = 32

const unsafeText = (value: string): string | null => {
  if (value.includes('\u0000')) return 'must not contain the character U+0000'
  return value.isWellFormed() ? null : 'must be valid Unicode text (it contains half of a surrogate pair)'
}

/** Refuses a text that PostgreSQL or protobuf cannot store, with the name of its field. */
export function refuseUnsafeText(value: string, field: string): void {
  const problem = unsafeText(value)
  if (problem !== null) throw new Fault('invalid_argument', field, `${field} ${problem}.`)
}

/** Whether JSON may have a number that is too large for a double; such a number would be stored as null. */
const mayOverflow = (json: string) => /\d[eE]\+?\d{3}/.test(json) || hasLongNumber(json)

const hasLongNumber = (json: string): boolean => {
  let digits = 0
  for (let index = 0; index < json.length; index += 1) {
    const char = json.charCodeAt(index)
    digits = char >= 0x30 && char <= 0x39 ? digits + 1 : 0
    if (digits === 200) return true
  }
  return false
}

const mayNest = (json: string): boolean => {
  let openings = 0
  for (let index = 0; index < json.length; index += 1) {
    const char = json.charCodeAt(index)
    if ((char === 0x7b || char === 0x5b) && ++openings > depthMax) return true
  }
  return false
}

function walk(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') return refuseUnsafeText(value, path)
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Fault('invalid_argument', path, `${shown(path)} is a number that is too large. Send a smaller one.`)
  if (typeof value !== 'object' || value === null) return
  if (depth > depthMax) {
    throw new Fault(
      'invalid_argument',
      path.split(/[.[]/, 1)[0]!,
      `${shown(path)} is nested deeper than ${depthMax} levels. Send a flatter document.`,
    )
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, `${path}[${index}]`, depth + 1)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    if (key === '__proto__')
      throw new Fault('invalid_argument', '__proto__', `${shown(path)} must not have a property named __proto__.`)
    if (unsafeText(key) !== null)
      throw new Fault(
        'invalid_argument',
        'body',
        `${shown(path)} has a property name that ${unsafeText(key)!.replace('must be', 'is not').replace('must not contain', 'contains')}.`,
      )
    walk(item, at, depth + 1)
  }
}

const shown = (path: string) => (path === '' ? 'The body' : path.length > 120 ? `${path.slice(0, 120)}…` : path)

/**
 * Refuses values that Node.js, protobuf or PostgreSQL cannot handle: U+0000, lone surrogates, `__proto__`, extreme depth, numbers
 * that are too large for a double. In JSON text they need a backslash escape, that name, many brackets, or a long number, so most
 * bodies are not traversed.
 */
export function refuseUnsafeJson(json: string, value: unknown): void {
  if (json.includes('\\u') || json.includes('__proto__') || mayOverflow(json) || mayNest(json)) walk(value, '', 0)
}
