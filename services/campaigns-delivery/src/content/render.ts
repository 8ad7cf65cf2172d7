import { unsubscribeToken } from '../html/tokens.ts'
import type { CompiledContent, Segment, Slot } from './compile.ts'
import { escapeFor } from './places.ts'

/** What is known of one recipient when the message is made. */
export interface MergeValues {
  /** token name to value; missing and empty ones take the version's default, else nothing */
  fields: Readonly<Record<string, string>>
  /** the signed preference_url of this recipient; it wins over any field called unsubscribe_url */
  unsubscribeUrl: string
}

export interface MessageContent {
  subject: string
  html: string
  text: string
}

/** The message of one recipient, every value escaped for the place where it stands. */
export function renderMessage(compiled: CompiledContent, values: MergeValues): MessageContent {
  return fill(compiled, (slot) => escapeFor(slot.place, valueAt(compiled, slot, values)))
}

/** The message of a batch in the provider's form: `%recipient.<name>%` where a value goes. See recipientVariables. */
export function providerTemplate(compiled: CompiledContent): MessageContent {
  return fill(compiled, (slot) => `%recipient.${variableName(slot)}%`)
}

/** Most characters that the values of one person may come to, escaped, wherever they stand in the message. */
export const valuesCharsMax = 100_000

/**
 * The variables of one recipient for the template of providerTemplate, already escaped for their place. The provider's plain substitution
 * gives exactly what renderMessage gives. Names begin with their place (`html_first_name`), so callers may add names without such a prefix.
 * Undefined when they come to more than valuesCharsMax: a batch of such people would hold up everybody else's.
 */
export function recipientVariables(compiled: CompiledContent, values: MergeValues): Record<string, string> | undefined {
  const variables: Record<string, string> = {}
  let left = valuesCharsMax
  for (const slot of compiled.slots) {
    const value = valueAt(compiled, slot, values)
    // what is too long as it is need not be escaped to know
    if (value.length * slot.count > left) return undefined
    const escaped = escapeFor(slot.place, value)
    left -= escaped.length * slot.count
    if (left < 0) return undefined
    variables[variableName(slot)] = escaped
  }
  return variables
}

function fill(compiled: CompiledContent, value: (slot: Slot) => string): MessageContent {
  const join = (segments: readonly Segment[]) => {
    let joined = ''
    for (const segment of segments) joined += typeof segment === 'string' ? segment : value(segment)
    return joined
  }
  return { subject: join(compiled.subject), html: join(compiled.html), text: join(compiled.text) }
}

function variableName({ token, place }: Slot): string {
  return `${place}_${token}`
}

const valueAt = (compiled: CompiledContent, { token }: Slot, values: MergeValues): string =>
  token === unsubscribeToken ? values.unsubscribeUrl : valueOf(compiled, token, values)

function valueOf(compiled: CompiledContent, token: string, { fields }: MergeValues): string {
  const own = Object.hasOwn(fields, token) ? fields[token] : undefined
  if (own !== undefined && own.trim() !== '') return own
  return Object.hasOwn(compiled.defaults, token) ? (compiled.defaults[token] ?? '') : ''
}
