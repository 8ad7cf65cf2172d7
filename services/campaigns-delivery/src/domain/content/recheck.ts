import { html as htmlNames, parse, type DefaultTreeAdapterTypes } from 'parse5'
import { Fault } from '@lettergate/fault'
import { CssCleaner } from './css.ts'
import { allowedTags, isAllowedAttribute, isAllowedMeta } from './html-policy.ts'
import { StrippedReport } from './stripped.ts'
import { backgroundSchemes, imageSchemes, linkSchemes, refusedScheme } from './url-policy.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const schemesOf = new Map([
  ['href', linkSchemes],
  ['src', imageSchemes],
  ['background', backgroundSchemes],
])

/**
 * Reads sanitised HTML with the parsing algorithm of browsers, which shares no code with the sanitiser, and refuses by Fault
 * what the sanitiser should have removed. A refusal here is two parsers reading one text differently, the root of sanitiser bypasses.
 */
export function recheck(html: string): void {
  const css = new CssCleaner(new StrippedReport())
  const pending: Node[] = [parse(html, { scriptingEnabled: false })]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node) checkElement(node, css)
    else if (node.nodeName === '#comment') throw unsafe('comment')
    if ('childNodes' in node) for (const child of node.childNodes) pending.push(child)
  }
}

function checkElement(element: Element, css: CssCleaner): void {
  const tag = element.tagName
  if (element.namespaceURI !== htmlNames.NS.HTML) throw unsafe(tag)
  if (tag === 'style') return checkSheet(element, css)
  if (!allowedTags.has(tag)) throw unsafe(tag)
  const attribs = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
  if (tag === 'meta' && !isAllowedMeta(attribs)) throw unsafe(tag)
  for (const { name, value } of element.attrs) {
    const schemes = schemesOf.get(name)
    if (!isAllowedAttribute(tag, name)) throw unsafe(name)
    if (schemes !== undefined && refusedScheme(value, schemes) !== undefined) throw unsafe(name)
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
