import { createRequire } from 'node:module'
import type { IOptions, Tag } from 'sanitize-html'
import { Fault } from '@lettergate/fault'
import { assemble } from './assemble.ts'
import { cleanAttributes, type Cleaning } from './attributes.ts'
import { outlookReading, writeConditional } from './conditional-comments.ts'
import { cleanSheet, CssCleaner } from './css.ts'
import { allowedAttributes, allowedTags, discardedWithInside, isAllowedMeta } from './html-policy.ts'
import { inspect, type DocumentPart } from './inspect.ts'
import { checkStoredSize, ContentLimits } from './limits.ts'
import { cleanOutlookMarkup } from './outlook-markup.ts'
import { recheck, recheckForOutlook } from './recheck.ts'
import { StrippedReport, type Stripped } from './stripped.ts'
import { checkTokensKeepStructure } from './structure.ts'
import { schemesOf } from './url-policy.ts'

// sanitize-html requires htmlparser2, which `inspect` imports. Required here, after that import, all its modules are linked.
const sanitizeHtml = createRequire(import.meta.url)('sanitize-html') as (html: string, options: IOptions) => string

export interface SanitisedHtml {
  html: string
  stripped: Stripped
  /** something for Outlook was removed */
  lostInOutlook: boolean
}

const passesMax = 5

const policy: IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: [...allowedTags],
  allowedAttributes,
  nonTextTags: [...discardedWithInside],
  selfClosing: ['img', 'br', 'hr', 'area', 'meta', 'col', 'wbr'],
  allowedEmptyAttributes: ['alt', 'title'],
  // an empty URL was reported and is removed; other empty attributes are kept, because their removal would not be reported
  nonBooleanAttributes: ['href', 'src', 'background'],
  allowedSchemes: [...new Set([...schemesOf.values()].flatMap((schemes) => [...schemes]))],
  parseStyleAttributes: false,
}

/**
 * Returns the copy of an email's HTML that may be stored and sent. Sanitising it again changes nothing. A second parser, the
 * algorithm of browsers, has checked it as browsers and as Outlook read it, and found nothing outside of the allow-list.
 * Throws a Fault for misplaced tokens.
 */
export function sanitise(source: string): SanitisedHtml {
  const stripped = new StrippedReport()
  const css = new CssCleaner(stripped)
  let html = source
  for (let pass = 0; pass < passesMax; pass++) {
    const cleaned = cleanOnce(html, { stripped, css, limits: new ContentLimits() })
    if (cleaned === html) {
      recheck(html)
      checkTokensKeepStructure(html)
      if (html.includes('<!--')) checkForOutlook(outlookReading(html))
      return { html, stripped: stripped.entries(), lostInOutlook: stripped.lostInOutlook }
    }
    html = cleaned
  }
  throw new Fault(
    'invalid_argument',
    'html',
    'html is too broken to be cleaned safely. Repair its nesting and try again.',
  )
}

function checkForOutlook(reading: string): void {
  // with the content of comments elements may be nested deeper
  inspect(reading, new StrippedReport(), new ContentLimits())
  recheckForOutlook(reading)
  checkTokensKeepStructure(reading)
}

function cleanOnce(source: string, cleaning: Cleaning): string {
  const { doctype, marked, parts } = inspect(source, cleaning.stripped, cleaning.limits)
  const body = sanitizeHtml(marked, {
    ...policy,
    transformTags: { '*': (tag, attribs) => cleanTag(tag, attribs, cleaning) },
  })
  const cleaned = parts.map((part) => ({ part, html: cleanPart(part, cleaning) }))
  const html = assemble(body.replaceAll(refusedMeta, ''), cleaned, cleaning.stripped)
  checkStoredSize('html', html.length)
  return (doctype ?? '') + html
}

/**
 * A refused `<meta>` is returned without attributes and removed from the text later. It must not be renamed: sanitize-html
 * 2.18.1 closes the next element under the new name of a removed element.
 */
const refusedMeta = '<meta />'

function cleanTag(tag: string, attribs: Record<string, string>, cleaning: Cleaning): Tag {
  if (!allowedTags.has(tag) || (tag === 'meta' && !isAllowedMeta(attribs))) {
    cleaning.stripped.tag(tag)
    return { tagName: tag, attribs: {} }
  }
  return { tagName: tag, attribs: cleanAttributes(tag, attribs, cleaning) }
}

/** Returns the stored form of a part, or '' when nothing is left. */
function cleanPart(part: DocumentPart, cleaning: Cleaning): string {
  if (part.kind === 'sheet') return cleanSheet(part, cleaning.css)
  if (part.kind !== 'hidden') return writeConditional(part)
  const markup = cleanOutlookMarkup(part.markup, cleaning)
  if (markup.trim() !== '') return writeConditional({ ...part, markup })
  cleaning.stripped.tag('comment')
  return ''
}
