import type { JsonObject } from '@bufbuild/protobuf'
import { Parser } from 'htmlparser2'
import { outlookReadings } from '../html/outlook-readings.ts'
import type { Stripped } from '../html/stripped.ts'
import { findTokens, hasMalformedToken, isLinkToken, unsubscribeToken } from '../html/tokens.ts'
import { hasVisibleUnsubscribeLink } from './unsubscribe-link.ts'

/** The report on a content version for its author. */
export interface ContentValidation {
  /** false only when nothing visible is left */
  valid: boolean
  links: number
  images: number
  tokens: string[]
  missingDefaults: string[]
  reviewWarnings: string[]
  plainTextGenerated: boolean
  unsubscribePresent: boolean
  stripped: Stripped
  /** only of a version that was reconstructed from another system */
  sourceProvenance?: JsonObject
}

/** A content version as it will be stored, with the changes made to it. */
export interface ContentParts {
  subject: string
  preheader: string | null
  sanitizedHtml: string
  plainText: string
  plainTextGenerated: boolean
  personalizationDefaults: Readonly<Record<string, string>>
  stripped: Stripped
  lostInOutlook: boolean
}

/** Validates the content that will be sent, not the content that was received. */
export function validateContent(parts: ContentParts): ContentValidation {
  const readings = [parts.sanitizedHtml, ...outlookReadings(parts.sanitizedHtml)]
  const seen = readings.map(look)
  const texts = [parts.subject, parts.preheader ?? '', parts.sanitizedHtml, parts.plainText]
  const names = new Set(texts.flatMap((text) => findTokens(text).map((token) => token.name)))
  names.delete(unsubscribeToken)
  const tokens = [...names]
  // The link must be in the HTML, because most recipients read that, and in each version that Outlook shows.
  const unsubscribePresent = readings.every(hasVisibleUnsubscribeLink)
  const valid = !isEmpty(seen[0]!)
  return {
    valid,
    links: countInAny(seen.map(({ links }) => links)),
    images: countInAny(seen.map(({ images }) => images)),
    tokens,
    missingDefaults: tokens.filter((name) => !isLinkToken(name) && !Object.hasOwn(parts.personalizationDefaults, name)),
    reviewWarnings: warnings(parts, seen, texts, unsubscribePresent),
    plainTextGenerated: parts.plainTextGenerated,
    unsubscribePresent,
    stripped: parts.stripped,
  }
}

const clippedAtBytes = 100 * 1024
const widestImage = 1200

/** Codes of warnings. None of them blocks sending. */
function warnings(
  parts: ContentParts,
  seen: readonly VisibleContent[],
  texts: string[],
  unsubscribePresent: boolean,
): string[] {
  const checks: [code: string, applies: boolean][] = [
    ['content_empty', seen.some(isEmpty)],
    ['unsubscribe_link_missing', !unsubscribePresent],
    ['outlook_markup_removed', parts.lostInOutlook],
    ['malformed_token', texts.some(hasMalformedToken)],
    ['insecure_links', seen.some(({ insecure }) => insecure)],
    ['relative_links', seen.some(({ relative }) => relative)],
    ['images_without_alt', seen.some(({ imagesWithoutAlt }) => imagesWithoutAlt)],
    ['huge_images', seen.some(({ hugeImages }) => hugeImages)],
    ['size_over_100_kb', Buffer.byteLength(parts.sanitizedHtml) > clippedAtBytes],
    ['spam_markup', shouts(parts.subject) || seen.some(({ spammy }) => spammy)],
  ]
  return checks.filter(([, applies]) => applies).map(([code]) => code)
}

/** Subjects that spam filters dislike: capitals only, or many punctuation marks. */
function shouts(subject: string): boolean {
  const characters = subject.replace(/\P{L}/gu, '')
  const isUpperCase =
    characters.length >= 10 && characters === characters.toUpperCase() && characters !== characters.toLowerCase()
  return isUpperCase || /[!?$€£]{3,}/u.test(subject)
}

/**
 * Markup that spam filters dislike: text hidden from readers, and very large fonts. Hidden preheaders are common and
 * allowed.
 */
function isSpammy(name: string, { style = '', size }: Record<string, string>): boolean {
  if (name === 'font' && /^\+?[67]$/.test(size ?? '')) return true
  const declared = new Map(style.split(';').map((declaration) => pair(declaration.toLowerCase())))
  const isTiny = /^0(?:px|pt|em)?$/.test(declared.get('font-size') ?? '') && declared.get('display') !== 'none'
  if (isTiny && name !== 'td' && name !== 'div') return true
  const background = declared.get('background-color') ?? declared.get('background')
  return background !== undefined && declared.get('color') === background
}

/** In CSS pixels, if the element sets it. The style takes precedence over the attribute. */
function widthOf({ style = '', width = '0' }: Record<string, string>): number {
  const styled = /(?:^|;)\s*width\s*:\s*([\d.]+)(px|%|[a-z]*)/i.exec(style)
  if (styled) return styled[2]?.toLowerCase() === 'px' ? Number(styled[1]) : 0
  return Number.parseInt(width, 10)
}

function pair(declaration: string): [string, string] {
  const colon = declaration.indexOf(':')
  return [declaration.slice(0, colon).trim(), declaration.slice(colon + 1).trim()]
}

/** What one version of the HTML shows. */
interface VisibleContent {
  /** how often each address occurs */
  links: Map<string, number>
  images: Map<string, number>
  hasText: boolean
  insecure: boolean
  relative: boolean
  imagesWithoutAlt: boolean
  hugeImages: boolean
  spammy: boolean
}

const isEmpty = ({ hasText, images }: VisibleContent): boolean => !hasText && images.size === 0

function countOne(counts: Map<string, number>, address: string): void {
  counts.set(address, (counts.get(address) ?? 0) + 1)
}

/** The number over all versions. The same address in two versions counts once. */
function countInAny(readings: readonly ReadonlyMap<string, number>[]): number {
  const most = new Map<string, number>()
  for (const counts of readings)
    for (const [address, count] of counts) most.set(address, Math.max(count, most.get(address) ?? 0))
  return [...most.values()].reduce((sum, count) => sum + count, 0)
}

function look(html: string): VisibleContent {
  const seen: VisibleContent = {
    links: new Map(),
    images: new Map(),
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
      if (name === 'a' && href !== undefined) countOne(seen.links, href)
      if (name === 'img' && src !== undefined) {
        countOne(seen.images, src)
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
