import { createRequire } from 'node:module'
import type { IOptions, Tag } from 'sanitize-html'
import { Fault } from '@lettergate/fault'
import { CssCleaner } from './css.ts'
import {
  allowedAttributes,
  allowedTags,
  discardedWithInside,
  isAllowedAttribute,
  isAllowedMeta,
} from './html-policy.ts'
import { inspect, type StyleSheet } from './inspect.ts'
import { recheck } from './recheck.ts'
import { checkTokensKeepStructure } from './structure.ts'
import { StrippedReport, type Stripped } from './stripped.ts'
import { checkUrlTokens } from './tokens.ts'
import { backgroundSchemes, imageSchemes, linkSchemes, readableUrl, refusedScheme } from './url-policy.ts'

// It requires htmlparser2, which `inspect` imports: required here, after that import, it meets no module that is still being linked.
const sanitizeHtml = createRequire(import.meta.url)('sanitize-html') as (html: string, options: IOptions) => string

export interface SanitisedHtml {
  html: string
  stripped: Stripped
}

const passesMax = 5

const policy: IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: [...allowedTags],
  allowedAttributes,
  nonTextTags: [...discardedWithInside],
  selfClosing: ['img', 'br', 'hr', 'area', 'meta', 'col', 'wbr'],
  allowedEmptyAttributes: ['alt', 'title'],
  // an empty URL is nothing and was reported; every other empty attribute stays, since its absence would go unreported
  nonBooleanAttributes: ['href', 'src', 'background'],
  allowedSchemes: [...new Set([...linkSchemes, ...imageSchemes])],
  parseStyleAttributes: false,
}

/**
 * The copy of a mail's HTML that may be stored and sent. It is a fixed point: sanitising it again changes nothing and removes nothing.
 * A second parser, the browsers' algorithm, has walked it and found nothing outside the allow-list. Refuses misplaced tokens by Fault.
 */
export function sanitise(source: string): SanitisedHtml {
  const stripped = new StrippedReport()
  const cleaning = { stripped, css: new CssCleaner(stripped) }
  let html = source
  for (let pass = 0; pass < passesMax; pass++) {
    const cleaned = cleanOnce(html, cleaning)
    if (cleaned === html) {
      recheck(html)
      checkTokensKeepStructure(html)
      return { html, stripped: stripped.entries() }
    }
    html = cleaned
  }
  throw new Fault(
    'invalid_argument',
    'html',
    'html is too broken to be cleaned safely. Repair its nesting and try again.',
  )
}

interface Cleaning {
  stripped: StrippedReport
  css: CssCleaner
}

function cleanOnce(source: string, cleaning: Cleaning): string {
  const { doctype, sheets } = inspect(source, cleaning.stripped)
  const body = sanitizeHtml(source, {
    ...policy,
    transformTags: { '*': (tag, attribs) => cleanTag(tag, attribs, cleaning) },
  })
  return withStyleSheets(body, cleanSheets(sheets, cleaning.css), doctype)
}

function cleanTag(tag: string, attribs: Record<string, string>, cleaning: Cleaning): Tag {
  if (tag === 'style') return bareStyle(attribs, cleaning.stripped)
  if (!allowedTags.has(tag)) {
    cleaning.stripped.tag(tag)
    return { tagName: tag, attribs: {} }
  }
  if (tag === 'meta' && !isAllowedMeta(attribs)) {
    cleaning.stripped.tag(tag)
    return { tagName: 'dropped-meta', attribs: {} }
  }
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(attribs)) {
    const cleaned = cleanAttribute({ tag, name, value }, cleaning)
    if (cleaned !== undefined) kept[name] = cleaned
  }
  return { tagName: tag, attribs: kept }
}

/** A sheet keeps what is in it and what it is for, which goes into its rules; that it is CSS goes without saying. */
function bareStyle({ media: _kept, type, ...others }: Record<string, string>, stripped: StrippedReport): Tag {
  if (type !== undefined && !/^(?:text\/css)?$/i.test(type.trim())) stripped.attribute('type')
  for (const name of Object.keys(others)) stripped.attribute(name)
  return { tagName: 'style', attribs: {} }
}

function cleanAttribute(
  { tag, name, value }: { tag: string; name: string; value: string },
  { stripped, css }: Cleaning,
): string | undefined {
  if (!isAllowedAttribute(tag, name) || (name === 'class' && value === '') || (name === 'usemap' && value[0] !== '#')) {
    stripped.attribute(name)
    return undefined
  }
  if (name === 'style') return css.declarations(value) || undefined
  if (name === 'href') return cleanUrl(name, value, linkSchemes, stripped)
  if (name === 'src') return cleanUrl(name, value, imageSchemes, stripped)
  if (name === 'background') return cleanUrl(name, value, backgroundSchemes, stripped)
  return value
}

function cleanUrl(
  name: string,
  value: string,
  schemes: ReadonlySet<string>,
  stripped: StrippedReport,
): string | undefined {
  const url = readableUrl(value)
  const refused = refusedScheme(url, schemes)
  if (refused !== undefined) {
    stripped.protocol(refused)
    return undefined
  }
  if (url === '') {
    stripped.attribute(name)
    return undefined
  }
  checkUrlTokens(url, name)
  return url
}

function cleanSheets(sheets: StyleSheet[], css: CssCleaner): string[] {
  const inMedia = ({ css: rules, media }: StyleSheet) =>
    media === undefined || media.trim() === '' ? rules : `@media ${media}{${rules}}`
  return sheets.map((sheet) => css.styleSheet(inMedia(sheet))).filter((cleaned) => cleaned !== '')
}

/** Style sheets stand at the end of the head, where mail clients look for them; a fragment begins with them. */
function withStyleSheets(body: string, sheets: string[], doctype: string | undefined): string {
  const styles = sheets.map((css) => `<style>${css}</style>`).join('')
  const start = doctype ?? ''
  if (styles === '') return start + body
  const headEnd = body.indexOf('</head>')
  if (headEnd !== -1) return start + body.slice(0, headEnd) + styles + body.slice(headEnd)
  const htmlStart = /<html(?: [^>]*)?>/.exec(body)
  if (htmlStart === null) return start + styles + body
  const afterHtml = htmlStart.index + htmlStart[0].length
  return `${start}${body.slice(0, afterHtml)}<head>${styles}</head>${body.slice(afterHtml)}`
}
