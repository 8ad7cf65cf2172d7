import { expect, test } from '@jest/globals'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { sanitise } from './sanitise.ts'

const tags =
  'div p a img table td span font h1 ul li area map body html title meta link picture section form input button style'.split(
    ' ',
  )
const attributes =
  'id class style href src background alt title width align color face target rel name type value onclick srcset loading data-x aria-label role lang usemap coords shape colspan abbr datetime charset content http-equiv media cite'.split(
    ' ',
  )
const values = [
  '',
  ' ',
  'x',
  '1',
  'https://x.test/a',
  'http://x.test/a',
  '//x.test',
  'javascript:x',
  'data:x',
  'mailto:a@b.c',
  'color:red',
  'position:fixed',
  'foo:bar;color:red',
  '/* c */',
  ';;',
  'url(x)',
  '#f',
  'refresh',
]

/** The attribute names of every such element, as a browser parses the document. Undefined when there is none. */
function attributesOf(html: string, tag: string): string[] | undefined {
  const pending: DefaultTreeAdapterTypes.Node[] = [parse(html)]
  const found: string[][] = []
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('tagName' in node && node.tagName === tag) found.push(node.attrs.map(({ name }) => name))
    if ('childNodes' in node) pending.push(...node.childNodes)
  }
  return found.length === 0 ? undefined : found.flat()
}

const aroundOf: Record<string, (element: string) => string> = {
  td: (element) => `<table><tbody><tr>${element}</tr></tbody></table>`,
  li: (element) => `<ul>${element}</ul>`,
}

test.each(tags)('everything removed from <%s> is reported, whatever its attributes are', (tag) => {
  for (const value of values) {
    const all = attributes.map((name) => `${name}="${value}"`).join(' ')
    const element = `<${tag} ${all}>x</${tag}>`
    const source = `<html><head></head><body><p>a</p>${(aroundOf[tag] ?? String)(element)}</body></html>`
    const { html, stripped } = sanitise(source)
    const kept = attributesOf(html, tag)
    const isNamed = (name: string) =>
      stripped.attributes.includes(name) ||
      (['href', 'src', 'background'].includes(name) && stripped.protocols.length > 0) ||
      (name === 'style' && stripped.cssProperties.length > 0)
    const silent =
      kept === undefined
        ? [tag].filter(() => !stripped.tags.includes(tag) && stripped.cssProperties.length === 0)
        : attributesOf(source, tag)!.filter((name) => !kept.includes(name) && !isNamed(name) && name !== 'media')
    expect({ value, silent }).toEqual({ value, silent: [] })
  }
})
