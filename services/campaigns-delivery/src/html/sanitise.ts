import { createRequire } from 'node:module'
import type { IOptions, Tag } from 'sanitize-html'
import { Fault } from '@lettergate/fault'
import { assemble } from './assemble.ts'
import { cleanAttributes, type Cleaning } from './attributes.ts'
import { outlookReading, writeConditional } from './conditional-comments.ts'
import { cleanSheet, CssCleaner } from './css.ts'
import { allowedAttributes, allowedTags, discardedWithInside, isAllowedMeta } from './html-policy.ts'
import { inspect, type Part } from './inspect.ts'
import { checkStoredSize, ContentLimits } from './limits.ts'
import { cleanOutlookMarkup } from './outlook-markup.ts'
import { recheck, recheckForOutlook } from './recheck.ts'
import { StrippedReport, type Stripped } from './stripped.ts'
import { checkTokensKeepStructure } from './structure.ts'
import { schemesOf } from './url-policy.ts'

// It requires htmlparser2, which `inspect` imports: required here, after that import, it meets no module that is still being linked.
const sanitizeHtml = createRequire(import.meta.url)('sanitize-html') as (html: string, options: IOptions) => string

export interface SanitisedHtml {
  html: string
  stripped: Stripped
  /** something was removed that was there for Outlook */
  lostInOutlook: boolean
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
  allowedSchemes: [...new Set([...schemesOf.values()].flatMap((schemes) => [...schemes]))],
  parseStyleAttributes: false,
}

/**
 * The copy of a mail's HTML that may be stored and sent. It is a fixed point: sanitising it again changes nothing and removes nothing.
 * A second parser, the browsers' algorithm, has walked it as browsers and as Outlook read it, and found nothing outside the allow-list.
 * Refuses misplaced tokens by Fault.
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
  // what is opened in comments may be deeper than what is seen without them
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
 * A refused `<meta>` comes back without attributes, and is taken out of the text: only an element is written with `<`.
 * It must not be renamed instead. sanitize-html 2.18.1 closes the next element under the new name of one that it leaves out.
 */
const refusedMeta = '<meta />'

function cleanTag(tag: string, attribs: Record<string, string>, cleaning: Cleaning): Tag {
  if (!allowedTags.has(tag) || (tag === 'meta' && !isAllowedMeta(attribs))) {
    cleaning.stripped.tag(tag)
    return { tagName: tag, attribs: {} }
  }
  return { tagName: tag, attribs: cleanAttributes(tag, attribs, cleaning) }
}

/** What may be stored of a part, '' when nothing of it may. */
function cleanPart(part: Part, cleaning: Cleaning): string {
  if (part.kind === 'sheet') return cleanSheet(part, cleaning.css)
  if (part.kind !== 'hidden') return writeConditional(part)
  const markup = cleanOutlookMarkup(part.markup, cleaning)
  if (markup.trim() !== '') return writeConditional({ ...part, markup })
  cleaning.stripped.tag('comment')
  return ''
}
