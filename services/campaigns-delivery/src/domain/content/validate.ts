import { Parser } from 'htmlparser2'
import type { Stripped } from './stripped.ts'
import { findTokens, hasMalformedToken, unsubscribeToken } from './tokens.ts'

/** What an author is told about a content version. */
export interface ContentValidation {
  /** false only when nothing is left to read or see */
  valid: boolean
  links: number
  images: number
  tokens: string[]
  missingDefaults: string[]
  reviewWarnings: string[]
  plainTextGenerated: boolean
  unsubscribePresent: boolean
  stripped: Stripped
}

/** A content version as it will be stored, with how it came about. */
export interface ContentParts {
  subject: string
  preheader: string | null
  sanitizedHtml: string
  plainText: string
  plainTextGenerated: boolean
  personalizationDefaults: Readonly<Record<string, string>>
  stripped: Stripped
}

/** Counts and judges what will be sent, never what was handed in. */
export function validateContent(parts: ContentParts): ContentValidation {
  const seen = look(parts.sanitizedHtml)
  const texts = [parts.subject, parts.preheader ?? '', parts.sanitizedHtml, parts.plainText]
  const names = new Set(texts.flatMap((text) => findTokens(text).map((token) => token.name)))
  names.delete(unsubscribeToken)
  const tokens = [...names]
  // Most people read the HTML: a link that stands elsewhere only is none to them.
  const unsubscribePresent = findTokens(parts.sanitizedHtml).some(({ name }) => name === unsubscribeToken)
  const valid = seen.hasText || seen.images > 0
  return {
    valid,
    links: seen.links,
    images: seen.images,
    tokens,
    missingDefaults: tokens.filter((name) => !Object.hasOwn(parts.personalizationDefaults, name)),
    reviewWarnings: warnings(parts, seen, texts, { valid, unsubscribePresent }),
    plainTextGenerated: parts.plainTextGenerated,
    unsubscribePresent,
    stripped: parts.stripped,
  }
}

const clippedAtBytes = 100 * 1024
const widestImage = 1200

/** Codes, each a reason to look again before sending; none of them blocks. */
function warnings(
  parts: ContentParts,
  seen: Seen,
  texts: string[],
  verdict: { valid: boolean; unsubscribePresent: boolean },
): string[] {
  const checks: [code: string, applies: boolean][] = [
    ['content_empty', !verdict.valid],
    ['unsubscribe_link_missing', !verdict.unsubscribePresent],
    ['malformed_token', texts.some(hasMalformedToken)],
    ['insecure_links', seen.insecure],
    ['relative_links', seen.relative],
    ['images_without_alt', seen.imagesWithoutAlt],
    ['huge_images', seen.hugeImages],
    ['size_over_100_kb', Buffer.byteLength(parts.sanitizedHtml) > clippedAtBytes],
    ['spam_markup', shouts(parts.subject) || seen.spammy],
  ]
  return checks.filter(([, applies]) => applies).map(([code]) => code)
}

/** What filters hold against a subject: capitals only, or a run of marks. */
function shouts(subject: string): boolean {
  const letters = subject.replace(/\P{L}/gu, '')
  const shouted = letters.length >= 10 && letters === letters.toUpperCase() && letters !== letters.toLowerCase()
  return shouted || /[!?$€£]{3,}/u.test(subject)
}

/** What filters hold against markup: text nobody is to see but machines, and letters as large as they go. Hidden preheaders are usual and do not count. */
function isSpammy(name: string, { style = '', size }: Record<string, string>): boolean {
  if (name === 'font' && /^\+?[67]$/.test(size ?? '')) return true
  const declared = new Map(style.split(';').map((declaration) => pair(declaration.toLowerCase())))
  if (/^0(?:px|pt|em)?$/.test(declared.get('font-size') ?? '') && name !== 'td' && name !== 'div') return true
  const background = declared.get('background-color') ?? declared.get('background')
  return background !== undefined && declared.get('color') === background
}

/** In CSS pixels, as far as the element says so itself; the style wins over the attribute. */
function widthOf({ style = '', width = '0' }: Record<string, string>): number {
  const styled = /(?:^|;)\s*width\s*:\s*([\d.]+)(px|%|[a-z]*)/i.exec(style)
  if (styled) return styled[2]?.toLowerCase() === 'px' ? Number(styled[1]) : 0
  return Number.parseInt(width, 10)
}

function pair(declaration: string): [string, string] {
  const colon = declaration.indexOf(':')
  return [declaration.slice(0, colon).trim(), declaration.slice(colon + 1).trim()]
}

interface Seen {
  links: number
  images: number
  hasText: boolean
  insecure: boolean
  relative: boolean
  imagesWithoutAlt: boolean
  hugeImages: boolean
  spammy: boolean
}

function look(html: string): Seen {
  const seen: Seen = {
    links: 0,
    images: 0,
    hasText: false,
    insecure: false,
    relative: false,
    imagesWithoutAlt: false,
    hugeImages: false,
    spammy: false,
  }
  let unread = 0
  const parser = new Parser({
    onopentag(name, attribs) {
      const { href, src, alt } = attribs
      seen.spammy ||= isSpammy(name, attribs)
      if (name === 'style' || name === 'title') unread++
      if (name === 'a' && href !== undefined) seen.links++
      if (name === 'img' && src !== undefined) {
        seen.images++
        seen.imagesWithoutAlt ||= alt === undefined
        seen.hugeImages ||= widthOf(attribs) > widestImage
      }
      for (const url of [href, src]) {
        if (url === undefined) continue
        seen.insecure ||= /^http:/i.test(url)
        seen.relative ||= !/^(?:[a-z][a-z0-9+.-]*:|#|\{\{)/i.test(url)
      }
    },
    ontext(text) {
      if (unread !== 0 || text.trim() === '') return
      seen.hasText = true
      seen.spammy ||= /[!?$€£]{4,}/u.test(text)
    },
    onclosetag(name) {
      if (name === 'style' || name === 'title') unread--
    },
  })
  parser.end(html)
  return seen
}
