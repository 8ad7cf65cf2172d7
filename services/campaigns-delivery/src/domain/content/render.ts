import { slotsOf, type CompiledContent, type Segment, type Slot } from './compile.ts'
import { escapeFor } from './places.ts'
import { unsubscribeToken } from './tokens.ts'

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
  return fill(compiled, (slot) => escapedValue(compiled, slot, values))
}

/** The message of a batch in the provider's form: `%recipient.<name>%` where a value goes. See recipientVariables. */
export function providerTemplate(compiled: CompiledContent): MessageContent {
  return fill(compiled, (slot) => `%recipient.${variableName(slot)}%`)
}

/**
 * The variables of one recipient for the template of providerTemplate, already escaped for their place. The provider's plain substitution
 * gives exactly what renderMessage gives. Names begin with their place (`html_first_name`), so callers may add names without such a prefix.
 */
export function recipientVariables(compiled: CompiledContent, values: MergeValues): Record<string, string> {
  return Object.fromEntries(slotsOf(compiled).map((slot) => [variableName(slot), escapedValue(compiled, slot, values)]))
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

function escapedValue(compiled: CompiledContent, { token, place }: Slot, values: MergeValues): string {
  return escapeFor(place, token === unsubscribeToken ? values.unsubscribeUrl : valueOf(compiled, token, values))
}

function valueOf(compiled: CompiledContent, token: string, { fields }: MergeValues): string {
  const own = Object.hasOwn(fields, token) ? fields[token] : undefined
  if (own !== undefined && own.trim() !== '') return own
  return Object.hasOwn(compiled.defaults, token) ? (compiled.defaults[token] ?? '') : ''
}
