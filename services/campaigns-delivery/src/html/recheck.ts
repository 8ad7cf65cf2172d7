import { html as htmlNames, parse, type DefaultTreeAdapterTypes } from 'parse5'
import { Fault } from '@lettergate/fault'
import { readConditional, writeConditional } from './conditional-comments.ts'
import { CssCleaner } from './css.ts'
import { allowedTags, isAllowedAttribute, isAllowedMeta, isAllowedNamespace } from './html-policy.ts'
import { ContentLimits } from './limits.ts'
import { cleanOutlookMarkup } from './outlook-markup.ts'
import { isAllowedOutlookAttribute, isOutlookUrl, outlookTags } from './outlook-policy.ts'
import { StrippedReport } from './stripped.ts'
import { findTokens } from './tokens.ts'
import { refusedUrl, schemesOf } from './url-policy.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/**
 * Parses sanitised HTML with the algorithm of browsers, which shares no code with the sanitiser, and throws a Fault for
 * anything that the sanitiser should have removed. This finds differences between two parsers, the root cause of sanitiser
 * bypasses.
 */
export function recheck(html: string): void {
  walk(html, (element, css) => checkElement(element, css))
}

/** The same for the HTML that Outlook reads, which also contains Outlook elements. */
export function recheckForOutlook(reading: string): void {
  walk(reading, (element, css) =>
    outlookTags.has(element.tagName) ? checkOutlookElement(element, css) : checkElement(element, css),
  )
}

function walk(html: string, check: (element: Element, css: CssCleaner) => void): void {
  const css = new CssCleaner(new StrippedReport())
  const pending: HtmlNode[] = [parse(html, { scriptingEnabled: false })]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node) check(node, css)
    else if (node.nodeName === '#comment' && 'data' in node) checkComment(node.data, css)
    if ('childNodes' in node) for (const child of node.childNodes) pending.push(child)
  }
}

/** Checks that a comment is in its stored form. */
function checkComment(text: string, css: CssCleaner): void {
  const comment = readConditional(text, false)
  if (comment === undefined) throw unsafe('comment')
  const again =
    comment.kind === 'hidden'
      ? {
          ...comment,
          markup: cleanOutlookMarkup(comment.markup, {
            stripped: new StrippedReport(),
            css,
            limits: new ContentLimits(),
          }),
        }
      : comment
  if (writeConditional(again) !== `<!--${text}-->`) throw unsafe('comment')
}

function checkElement(element: Element, css: CssCleaner): void {
  const tag = element.tagName
  if (element.namespaceURI !== htmlNames.NS.HTML) throw unsafe(tag)
  if (tag === 'style') return checkSheet(element, css)
  if (!allowedTags.has(tag)) throw unsafe(tag)
  const attribs = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
  if (tag === 'meta' && !isAllowedMeta(attribs)) throw unsafe(tag)
  for (const { name, value } of element.attrs) {
    if (!isAllowedAttribute(tag, name) || !isAllowedNamespace(name, value)) throw unsafe(name)
    if (schemesOf.has(name) && refusedUrl(name, value) !== undefined) throw unsafe(name)
    if (name === 'style' && css.declarations(value) !== value) throw unsafe(name)
  }
}

function checkOutlookElement(element: Element, css: CssCleaner): void {
  const tag = element.tagName
  if (element.namespaceURI !== htmlNames.NS.HTML) throw unsafe(tag)
  for (const { name, value } of element.attrs) {
    const isAllowed = name.startsWith('xmlns:')
      ? isAllowedNamespace(name, value)
      : isAllowedOutlookAttribute(tag, name, value)
    if (!isAllowed) throw unsafe(name)
    if (schemesOf.has(name) && !isOutlookUrl(value) && findTokens(value).length === 0) throw unsafe(name)
    if (name === 'style' && css.declarations(value) !== value) throw unsafe(name)
  }
}

function checkSheet(element: Element, css: CssCleaner): void {
  const sheet = element.childNodes.map((child) => ('value' in child ? child.value : '<')).join('')
  if (element.attrs.length > 0 || sheet.includes('<') || css.styleSheet(sheet) !== sheet) throw unsafe('style')
}

function unsafe(name: string): Fault {
  return new Fault(
    'invalid_argument',
    'html',
    `html is ambiguous around "${name}": mail clients would read it in different ways. Simplify that part.`,
  )
}
