import { Parser } from 'htmlparser2'
import { Fault } from '@lettergate/fault'
import { canonicalDoctype, discardedWithInside } from './html-policy.ts'
import type { StrippedReport } from './stripped.ts'
import { findTokens, misplaced, refuseTokens } from './tokens.ts'

export interface StyleSheet {
  css: string
  media: string | undefined
}

/** What a document has beside its elements, found before they are cleaned. */
export interface Inspection {
  doctype: string | undefined
  sheets: StyleSheet[]
}

const deepestNesting = 256
const partsMax = 200_000
const cssCharactersMax = 256 * 1024
const styleCharactersMax = 64 * 1024
const discarded = new Set(discardedWithInside)

/**
 * Takes the style sheets and the document type out of a document, and reports its comments.
 * Refuses tokens in tag names, attribute names, unquoted values, CSS and comments, and documents so deep, so fragmented or so styled
 * that no mail client shows them and reading them would take seconds.
 */
export function inspect(html: string, stripped: StrippedReport): Inspection {
  if (/<[/!?]?\{\{/.test(html) && findTokens(html).length > 0) throw misplaced('the name of a tag')
  const found: Inspection = { doctype: undefined, sheets: [] }
  const open: string[] = []
  let sheet: StyleSheet | undefined
  let parts = 0
  let cssCharacters = 0
  const count = () => {
    if (++parts > partsMax)
      throw tooMuch(`has more than ${partsMax} elements, attributes and pieces of text. Shorten it`)
  }

  const parser = new Parser({
    onopentagname: (name) => refuseBraces(name, 'the name of a tag'),
    onattribute(name, value, quote) {
      count()
      refuseBraces(name, 'the name of an attribute')
      if (quote === null) refuseTokens(value, 'an attribute value without quotes')
      if (name !== 'style') return
      refuseTokens(value, 'CSS')
      if (value.length > styleCharactersMax)
        throw tooMuch(`has a style attribute of more than ${styleCharactersMax} characters. Shorten it`)
    },
    onopentag(name, attribs) {
      if (name === 'style') refuseTokens(attribs['media'] ?? '', 'CSS')
      if (name === 'meta') refuseEncodingTokens(attribs)
      if (name === 'style' && !open.some((outer) => discarded.has(outer))) {
        sheet = { css: '', media: attribs['media'] }
        found.sheets.push(sheet)
      }
      count()
      open.push(name)
      if (open.length > deepestNesting) throw tooMuch(`is nested deeper than ${deepestNesting} elements. Flatten it`)
    },
    ontext(text) {
      count()
      if (sheet === undefined) return
      sheet.css += text
      cssCharacters += text.length
      if (cssCharacters > cssCharactersMax)
        throw tooMuch(`has more than ${cssCharactersMax} characters of CSS. Shorten it`)
    },
    onclosetag(name) {
      open.pop()
      if (name !== 'style' || sheet === undefined) return
      refuseTokens(sheet.css, 'CSS')
      sheet = undefined
    },
    oncomment(text) {
      count()
      refuseTokens(text, 'a comment')
      stripped.tag('comment')
    },
    onprocessinginstruction(name, text) {
      refuseTokens(text, 'a declaration')
      if (name.toLowerCase() === '!doctype') found.doctype ??= canonicalDoctype(text)
      else stripped.tag('comment')
    },
  })
  parser.write(html)
  parser.end()
  return found
}

/** How the bytes of a letter are read decides what every other escaping is worth. */
function refuseEncodingTokens({ charset = '', content = '', 'http-equiv': equivalent }: Record<string, string>): void {
  refuseTokens(charset, 'the encoding of the document')
  if (equivalent !== undefined) refuseTokens(content, 'the encoding of the document')
}

function refuseBraces(name: string, place: string): void {
  if (name.includes('{{')) throw misplaced(place)
}

function tooMuch(what: string): Fault {
  return new Fault('invalid_argument', 'html', `html ${what}.`)
}
