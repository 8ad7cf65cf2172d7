import { escapeText } from '../html/escape-text.ts'
import { findTokens } from '../html/tokens.ts'
import { headerLine, literalFor, type EscapeContext } from './places.ts'

/** The stored parts of a content version that a message is made of. */
export interface StoredContent {
  subject: string
  preheader: string | null
  sanitizedHtml: string
  plainText: string
  personalizationDefaults: Readonly<Record<string, string>>
}

/** A token and the context that decides how its value is escaped. */
export interface Slot {
  token: string
  place: EscapeContext
}

/** A slot and how often it occurs in the message. */
export type CountedSlot = Slot & { count: number }

/** Literal text, or a slot between two literals. */
export type Segment = string | Slot

/** A content version that is split into segments once, so that a message is a concatenation. */
export interface CompiledContent {
  subject: readonly Segment[]
  html: readonly Segment[]
  text: readonly Segment[]
  /** each pair of token and context once */
  slots: readonly CountedSlot[]
  defaults: Readonly<Record<string, string>>
}

/** Splits a stored version into segments. The preheader becomes hidden text at the start of the body. */
export function compileContent(content: StoredContent): CompiledContent {
  const parts = {
    subject: segments(headerLine(content.subject), 'text', () => 'header'),
    html: segments(withPreheader(content.sanitizedHtml, content.preheader), 'html', htmlPlaces()),
    text: segments(content.plainText, 'text', () => 'text'),
  }
  return { ...parts, slots: countSlots(Object.values(parts).flat()), defaults: content.personalizationDefaults }
}

function segments(
  source: string,
  kind: 'html' | 'text',
  placeOf: (source: string, start: number, end: number) => EscapeContext,
): Segment[] {
  const cut: Segment[] = []
  let position = 0
  for (const { name, start, end } of findTokens(source)) {
    if (start > position) cut.push(literalFor(kind, source.slice(position, start), true))
    cut.push({ token: name, place: placeOf(source, start, end) })
    position = end
  }
  if (position < source.length) cut.push(literalFor(kind, source.slice(position), false))
  return cut
}

const urlAttributes = new Set(['href', 'src', 'background'])

/**
 * Returns a function that finds the context of each token. It must be called in document order; each character is read once.
 * In sanitised HTML every `<` is escaped and every value is in double quotes, so that only brackets and quotes must be
 * tracked.
 */
function htmlPlaces(): (source: string, start: number, end: number) => EscapeContext {
  let position = 0
  let isInTag = false
  let quoteAt = -1
  return (source, start, end) => {
    for (; position < start; position++) {
      const char = source[position]
      if (quoteAt >= 0) quoteAt = char === '"' ? -1 : quoteAt
      else if (!isInTag) isInTag = char === '<'
      else if (char === '"') quoteAt = position
      else if (char === '>') isInTag = false
    }
    if (quoteAt < 0) return 'html'
    const attribute = /([^\s"=]+)=$/.exec(source.slice(Math.max(0, quoteAt - 100), quoteAt))?.[1]
    if (attribute === undefined || !urlAttributes.has(attribute)) return 'html'
    return quoteAt + 1 === start && source[end] === '"' ? 'link' : 'url'
  }
}

const hidden =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all'

function withPreheader(html: string, preheader: string | null): string {
  if (preheader === null || preheader.trim() === '') return html
  const block = `<div style="${hidden}">${escapeText(preheader)}</div>`
  const before = [
    /<body(?: [^>]*)?>/,
    /<\/head>/,
    /<html(?: [^>]*)?>/,
    /^(?:<!DOCTYPE[^>]*>)?(?:<style>[^<]*<\/style>)*/,
  ]
  // a comment may have a <body> for Outlook alone
  const visible = html.replace(/<!--[^]*?-->/g, (comment) => ' '.repeat(comment.length))
  const found = before.map((pattern) => pattern.exec(visible)).find((match) => match !== null)
  const at = found === undefined ? 0 : found.index + found[0].length
  return html.slice(0, at) + block + html.slice(at)
}

function countSlots(segments: readonly Segment[]): CountedSlot[] {
  const slots = new Map<string, CountedSlot>()
  for (const segment of segments) {
    if (typeof segment === 'string') continue
    const name = `${segment.place} ${segment.token}`
    slots.set(name, { ...segment, count: (slots.get(name)?.count ?? 0) + 1 })
  }
  return [...slots.values()]
}
