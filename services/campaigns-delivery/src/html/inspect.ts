import { Parser } from 'htmlparser2'
import { isForOutlook, readConditional, type ConditionalComment } from './conditional-comments.ts'
import { canonicalDoctype, discardedWithInside } from './html-policy.ts'
import { refuseControls, type ContentLimits } from './limits.ts'
import type { StrippedReport } from './stripped.ts'
import { findTokens, misplaced, refuseBraces, refuseTokens } from './tokens.ts'

export interface StyleSheet {
  kind: 'sheet'
  css: string
  media: string | undefined
}

/** A part of a document that is cleaned separately and put back in its place. */
export type DocumentPart = StyleSheet | ConditionalComment

/** The parts of a document that are not elements, found before cleaning. */
export interface Inspection {
  doctype: string | undefined
  /** the document with a mark in place of each part */
  marked: string
  parts: DocumentPart[]
}

const discarded = new Set(discardedWithInside)

/** The mark of a part. A document cannot contain one, because control characters and references to them are refused. */
const markOf = (index: number): string => `\u0001${index}\u0001`
// eslint-disable-next-line no-control-regex
export const markPattern = /\u0001(\d+)\u0001/

/**
 * Takes the style sheets, conditional comments and document type out of a document and reports other comments. Refuses
 * tokens in tag names, attribute names, unquoted values, CSS and comments, control characters, and documents over the
 * limits.
 */
export function inspect(html: string, stripped: StrippedReport, limits: ContentLimits): Inspection {
  refuseControls('html', html)
  if (/<[/!?]?\{\{/.test(html) && findTokens(html).length > 0) throw misplaced('the name of a tag')
  const found: Inspection = { doctype: undefined, marked: '', parts: [] }
  const open: string[] = []
  let sheet: (StyleSheet & { start: number }) | undefined
  let tagStart = 0
  let position = 0
  const mark = (part: DocumentPart, start: number, end: number) => {
    found.marked += html.slice(position, start) + markOf(found.parts.length)
    found.parts.push(part)
    position = end
  }

  const parser = new Parser({
    onopentagname(name) {
      refuseBraces(name, 'the name of a tag')
      tagStart = parser.endIndex - name.length - 1
    },
    onattribute(name, value, quote) {
      limits.part()
      limits.value(value)
      refuseBraces(name, 'the name of an attribute')
      if (quote === null) refuseTokens(value, 'an attribute value without quotes')
      if (name !== 'style') return
      refuseTokens(value, 'CSS')
      limits.styleAttribute(value)
    },
    onopentag(name, attribs) {
      if (name === 'style') refuseTokens(attribs['media'] ?? '', 'CSS')
      if (name === 'meta') refuseEncodingTokens(attribs)
      if (name === 'style' && !open.some((outer) => discarded.has(outer))) {
        reportStyleAttributes(attribs, stripped)
        sheet = { kind: 'sheet', css: '', media: attribs['media'], start: tagStart }
      }
      limits.part()
      open.push(name)
      limits.depth(open.length)
    },
    ontext(text) {
      limits.part()
      limits.value(text)
      if (sheet === undefined) return
      sheet.css += text
      limits.styleSheet(text)
    },
    onclosetag(name, isImplied) {
      open.pop()
      if (name !== 'style' || sheet === undefined) return
      refuseTokens(sheet.css, 'CSS')
      const { start, ...part } = sheet
      mark(part, start, isImplied ? html.length : afterTag(html, parser.endIndex))
      sheet = undefined
    },
    oncomment(text) {
      limits.part()
      const begin = beginningOf(html, text, parser.endIndex)
      const comment = begin && readConditional(text, begin.isBare)
      if (comment) return mark(comment, begin.start, parser.endIndex + 1)
      refuseTokens(text, 'a comment')
      stripped.tag('comment')
      if (isForOutlook(text)) stripped.outlook()
    },
    onprocessinginstruction(name, text) {
      refuseTokens(text, 'a declaration')
      if (name.toLowerCase() === '!doctype') found.doctype ??= canonicalDoctype(text)
      else stripped.tag('comment')
    },
  })
  parser.write(html)
  parser.end()
  found.marked += html.slice(position)
  return found
}

const spellings = [
  { opening: '<!--', closing: '-->' },
  { opening: '<!--', closing: '--!>' },
  { opening: '<!', closing: '>' },
]

/**
 * Finds the start of a comment that ends at this index. The parser's own start is wrong after an end tag with white space,
 * such as `</a >`.
 */
function beginningOf(html: string, text: string, endIndex: number): { start: number; isBare: boolean } | undefined {
  for (const { opening, closing } of spellings) {
    const start = endIndex + 1 - closing.length - text.length - opening.length
    if (html.startsWith(opening + text + closing, start)) return { start, isBare: opening === '<!' }
  }
  return undefined
}

function afterTag(html: string, index: number): number {
  const end = html.indexOf('>', index)
  return end === -1 ? html.length : end + 1
}

/** Refuses tokens in a meta element that sets the encoding, because all other escaping depends on it. */
function refuseEncodingTokens({ charset = '', content = '', 'http-equiv': equivalent }: Record<string, string>): void {
  refuseTokens(charset, 'the encoding of the document')
  if (equivalent !== undefined) refuseTokens(content, 'the encoding of the document')
}

/**
 * Reports the attributes of a style element that are not kept. Its media condition is kept in its rules; `type` is dropped
 * without a report.
 */
export function reportStyleAttributes(
  { media: _kept, type, ...others }: Record<string, string>,
  stripped: StrippedReport,
): void {
  if (type !== undefined && !/^(?:text\/css)?$/i.test(type.trim())) stripped.attribute('type')
  for (const name of Object.keys(others)) stripped.attribute(name)
}
