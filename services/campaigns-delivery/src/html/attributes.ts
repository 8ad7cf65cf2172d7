import type { CssCleaner } from './css.ts'
import { isAllowedAttribute, isAllowedNamespace } from './html-policy.ts'
import type { ContentLimits } from './limits.ts'
import type { StrippedReport } from './stripped.ts'
import { checkUrlTokens } from './tokens.ts'
import { refusedUrl, schemesOf, readableUrl } from './url-policy.ts'

/** What the parts of one document share during cleaning. */
export interface Cleaning {
  stripped: StrippedReport
  css: CssCleaner
  limits: ContentLimits
}

/** Returns the allowed attributes of an HTML element with cleaned values and reports the others. */
export function cleanAttributes(
  tag: string,
  attribs: Readonly<Record<string, string>>,
  cleaning: Cleaning,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(attribs)) {
    const cleaned = cleanAttribute({ tag, name, value }, cleaning)
    if (cleaned !== undefined) kept[name] = cleaned
  }
  return kept
}

function cleanAttribute(
  { tag, name, value }: { tag: string; name: string; value: string },
  { stripped, css }: Cleaning,
): string | undefined {
  if (
    !isAllowedAttribute(tag, name) ||
    !isAllowedNamespace(name, value) ||
    (name === 'class' && value === '') ||
    (name === 'usemap' && value[0] !== '#')
  ) {
    stripped.attribute(name)
    return undefined
  }
  if (name === 'style') return css.declarations(value) || undefined
  return schemesOf.has(name) ? cleanUrl(name, value, stripped) : value
}

/**
 * Returns the URL of an attribute if it may be stored. A refused URL is reported by its scheme, or by its attribute without
 * one.
 */
export function cleanUrl(name: string, value: string, stripped: StrippedReport): string | undefined {
  const url = readableUrl(value)
  const refused = refusedUrl(name, url)
  if (refused !== undefined) {
    if (refused === '') stripped.attribute(name)
    else stripped.protocol(refused)
    return undefined
  }
  checkUrlTokens(url, name)
  return url
}
