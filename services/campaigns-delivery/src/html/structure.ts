import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { findTokens, misplaced, tokenPattern } from './tokens.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node

/**
 * The element tree of HTML as a mail client builds it: tags and attribute names in order with their depth, without text and
 * values.
 */
export function structureOf(html: string): string {
  const lines: string[] = []
  const pending: { node: HtmlNode; depth: number }[] = [{ node: parse(html), depth: 0 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next
    if ('tagName' in node) lines.push([depth, node.tagName, ...node.attrs.map(({ name }) => name)].join(' '))
    if (!('childNodes' in node)) continue
    for (const child of node.childNodes.toReversed()) pending.push({ node: child, depth: depth + 1 })
  }
  return lines.join('\n')
}

/**
 * Refuses a token where the presence of text changes the element tree, such as directly in the head. The HTML algorithm
 * distinguishes only no text, white space and other text.
 */
export function checkTokensKeepStructure(html: string): void {
  if (findTokens(html).length === 0) return
  const [expected, ...others] = ['', ' ', 'x'].map((value) => structureOf(html.replace(tokenPattern, value)))
  if (others.some((structure) => structure !== expected))
    throw misplaced('a place where text changes the structure of the document')
}
