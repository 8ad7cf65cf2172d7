import { QuoteType, Tokenizer } from 'htmlparser2'
import { cleanAttributes, type Cleaning } from './attributes.ts'
import { cleanSheet } from './css.ts'
import { allowedTags, discardedWithInside, isAllowedNamespace } from './html-policy.ts'
import { escapeText } from './escape-text.ts'
import { reportStyleAttributes } from './inspect.ts'
import { isAllowedOutlookAttribute, isOnlyOutside, isOutlookUrl, outlookTags } from './outlook-policy.ts'
import { checkUrlTokens, findTokens, isLinkToken, refuseBraces, refuseTokens } from './tokens.ts'
import { readableUrl } from './url-policy.ts'

/** Outlook reads the content of `<xml>`, and `<noscript>` contains text for readers too. */
const withInside = new Set([...discardedWithInside, 'title'].filter((tag) => tag !== 'noscript' && tag !== 'xml'))
const withoutInside = new Set('area br col hr img wbr'.split(' '))

/**
 * Cleans the markup of a hidden conditional comment with the rules of the document plus Outlook elements. It is cleaned tag
 * by tag, because a table can begin in one comment and end in another. The result contains only whole tags and no other `<`
 * or `>`, so it cannot end the comment for any client.
 */
export function cleanOutlookMarkup(markup: string, cleaning: Cleaning): string {
  const { stripped, limits } = cleaning
  let clean = ''
  let name = ''
  let attribute = ''
  let value = ''
  let attribs: Record<string, string> = {}
  /** the element that is removed with its content */
  let discarded: string | undefined
  let sheet = ''

  const text = (found: string) => {
    limits.part()
    limits.value(found)
    if (discarded === 'style') {
      limits.styleSheet(found)
      sheet += found
    } else if (discarded === undefined) clean += escapeText(found)
  }
  const open = (isSelfClosing: boolean) => {
    limits.part()
    if (discarded !== undefined) return
    if (withInside.has(name)) discarded = name
    if (name === 'style') {
      refuseTokens(attribs['media'] ?? '', 'CSS')
      reportStyleAttributes(attribs, stripped)
      sheet = ''
    } else clean += openingTag(name, attribs, isSelfClosing, cleaning)
  }
  const close = (closed: string) => {
    if (discarded === 'style' && closed === 'style') {
      refuseTokens(sheet, 'CSS')
      clean += cleanSheet({ css: sheet, media: attribs['media'] }, cleaning.css)
    }
    if (discarded === closed) discarded = undefined
    else if (discarded === undefined) clean += closingTag(closed)
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => text(markup.slice(start, end)),
      ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
      onopentagname(start, end) {
        name = markup.slice(start, end).toLowerCase()
        refuseBraces(name, 'the name of a tag')
        if (discarded === undefined) attribs = {}
      },
      onattribname(start, end) {
        attribute = markup.slice(start, end).toLowerCase()
        refuseBraces(attribute, 'the name of an attribute')
        value = ''
      },
      onattribdata: (start, end) => void (value += markup.slice(start, end)),
      onattribentity: (codePoint) => void (value += String.fromCodePoint(codePoint)),
      onattribend(quote) {
        limits.part()
        limits.value(value)
        if (quote === QuoteType.Unquoted) refuseTokens(value, 'an attribute value without quotes')
        if (attribute === 'style') {
          refuseTokens(value, 'CSS')
          limits.styleAttribute(value)
        }
        if (discarded === undefined && !Object.hasOwn(attribs, attribute)) attribs[attribute] = value
      },
      onopentagend: () => open(false),
      onselfclosingtag: () => open(true),
      onclosetag: (start, end) => close(markup.slice(start, end).toLowerCase()),
      oncomment: () => stripped.tag('comment'),
      oncdata: () => stripped.tag('comment'),
      ondeclaration: () => stripped.tag('comment'),
      onprocessinginstruction: () => stripped.tag('comment'),
      onend: () => undefined,
    },
  )
  tokenizer.write(markup)
  tokenizer.end()
  return clean
}

function openingTag(
  tag: string,
  attribs: Readonly<Record<string, string>>,
  isSelfClosing: boolean,
  cleaning: Cleaning,
): string {
  const spelling = spellingOf(tag)
  if (spelling === undefined) {
    cleaning.stripped.tag(tag)
    if (tag.includes(':')) cleaning.stripped.outlook()
    return ''
  }
  const kept = outlookTags.has(tag)
    ? cleanOutlookAttributes(tag, attribs, cleaning)
    : cleanAttributes(tag, attribs, cleaning)
  const written = Object.entries(kept).map(([name, value]) => ` ${name}="${escapeValue(value)}"`)
  const end = withoutInside.has(tag) || (isSelfClosing && outlookTags.has(tag)) ? ' />' : '>'
  return `<${spelling}${written.join('')}${end}`
}

function closingTag(tag: string): string {
  const spelling = spellingOf(tag)
  return spelling === undefined || withoutInside.has(tag) ? '' : `</${spelling}>`
}

const spellingOf = (tag: string): string | undefined =>
  outlookTags.get(tag) ?? (allowedTags.has(tag) && !isOnlyOutside(tag) ? tag : undefined)

function cleanOutlookAttributes(
  tag: string,
  attribs: Readonly<Record<string, string>>,
  { stripped, css }: Cleaning,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(attribs)) {
    const isNamespace = name.startsWith('xmlns:')
    if (isNamespace ? !isAllowedNamespace(name, value) : !isAllowedOutlookAttribute(tag, name, value)) {
      stripped.attribute(name)
      continue
    }
    const cleaned =
      name === 'style' ? css.declarations(value) : name === 'href' || name === 'src' ? cleanUrl(name, value) : value
    if (cleaned === undefined) stripped.attribute(name)
    else if (name !== 'style' || cleaned !== '') kept[name] = cleaned
  }
  return kept
}

function cleanUrl(name: string, value: string): string | undefined {
  const url = readableUrl(value)
  const [token] = findTokens(url)
  const isOwnLink = token !== undefined && isLinkToken(token.name) && token.end - token.start === url.length
  if (!isOutlookUrl(url) && !(name === 'href' && isOwnLink)) return undefined
  checkUrlTokens(url, name)
  return url
}

function escapeValue(value: string): string {
  return escapeText(value).replace(/"/g, '&quot;')
}
