import { Fault } from '@lettergate/fault'

/** Deep enough for every document of ours, shallow enough that nothing downstream recurses into trouble. */
export const depthMax = 32

const unsafeText = (value: string): string | null => {
  if (value.includes('\u0000')) return 'must not contain the character U+0000'
  return value.isWellFormed() ? null : 'must be valid Unicode text (it contains half of a surrogate pair)'
}

/** Refuses one text that PostgreSQL or protobuf could not carry, naming the field it was sent as. */
export function refuseUnsafeText(value: string, field: string): void {
  const problem = unsafeText(value)
  if (problem !== null) throw new Fault('invalid_argument', field, `${field} ${problem}.`)
}

/** What JSON can write and a double cannot hold: it would be stored as nothing. */
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
 * Refuses what Node, protobuf or PostgreSQL would choke on: U+0000, lone surrogates, `__proto__`, absurd depth, numbers
 * beyond a double. JSON can carry them only through a backslash escape, that very name, many brackets, or a long number,
 * so most bodies are not walked at all.
 */
export function refuseUnsafeJson(json: string, value: unknown): void {
  if (json.includes('\\u') || json.includes('__proto__') || mayOverflow(json) || mayNest(json)) walk(value, '', 0)
}
