import { isLinkToken, unsubscribeToken } from '../html/tokens.ts'
import type { CompiledContent, Segment, Slot } from './compile.ts'
import { escapeFor } from './places.ts'

/** The values of one recipient. */
export interface MergeValues {
  /** token name to value; a missing or empty value is replaced by the default of the version, or by nothing */
  fields: Readonly<Record<string, string>>
  /** the recipient's signed preference_url; it takes precedence over a field called unsubscribe_url */
  unsubscribeUrl: string
}

export interface MessageContent {
  subject: string
  html: string
  text: string
}

/** Renders the message of one recipient. Every value is escaped for its context. */
export function renderMessage(compiled: CompiledContent, values: MergeValues): MessageContent {
  return fill(compiled, (slot) => escapeFor(slot.place, valueAt(compiled, slot, values)))
}

/** The name of the variable with the token of the recipient's preference link, which the caller adds. */
export const linkVariable = 'preference_token'

/**
 * The message template for the provider, with `%recipient.<name>%` for each value. See recipientVariables. Preference links
 * are `preferenceUrl` and the recipient's token, which needs no escaping.
 */
export function providerTemplate(compiled: CompiledContent, preferenceUrl: string): MessageContent {
  return fill(compiled, (slot) =>
    slot.token === unsubscribeToken
      ? `${escapeFor(slot.place, preferenceUrl)}%recipient.${linkVariable}%`
      : `%recipient.${variableName(slot)}%`,
  )
}

/** Maximum length of all escaped values of one recipient, over all their occurrences. */
export const valuesCharsMax = 100_000

/** What a preference link counts. */
const linkChars = 256

/**
 * The variables of one recipient for providerTemplate, escaped for their contexts. The provider's substitution gives exactly
 * the result of renderMessage. Names begin with the context (`html_first_name`), so that callers may add names without such
 * a prefix. Undefined when the values exceed valuesCharsMax, because such batches would delay others.
 */
export function recipientVariables(
  compiled: CompiledContent,
  fields: MergeValues['fields'],
): Record<string, string> | undefined {
  const variables: Record<string, string> = {}
  let left = valuesCharsMax
  for (const slot of compiled.slots) {
    if (slot.token === unsubscribeToken) {
      left -= linkChars * slot.count
      if (left < 0) return undefined
      continue
    }
    const value = valueOf(compiled, slot.token, fields)
    // a value that is already too long need not be escaped
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
  token === unsubscribeToken ? values.unsubscribeUrl : valueOf(compiled, token, values.fields)

function valueOf(compiled: CompiledContent, token: string, fields: MergeValues['fields']): string {
  const own = Object.hasOwn(fields, token) ? fields[token] : undefined
  if (own !== undefined && own.trim() !== '') return own
  if (isLinkToken(token)) return ''
  return Object.hasOwn(compiled.defaults, token) ? (compiled.defaults[token] ?? '') : ''
}
