import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import * as cssTree from 'css-tree'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { prepareContent } from '../../src/content/prepare.ts'
import { sanitise } from '../../src/html/sanitise.ts'
import type { Stripped } from '../../src/html/stripped.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node

/** Whole emails in the style of well-known public templates, with everything that may be removed: nothing visible. */
const mails: Record<string, Partial<Stripped>> = {
  'hybrid.html': { tags: ['webversion'], attributes: ['xmlns'] },
  'newsletter-xhtml.html': { attributes: ['offset', 'xmlns'] },
  'compiled-components.html': {
    tags: ['link'],
    attributes: ['vertical-align', 'xmlns'],
    cssProperties: ['@import'],
  },
  'transactional-dark.html': {
    tags: ['source'],
    attributes: ['loading', 'rel', 'srcset'],
    cssProperties: ['--gap', '@font-face'],
  },
  'grid-framework.html': { attributes: ['data-made-with-foundation', 'data-parsed', 'xml:lang', 'xmlns'] },
  'simple-responsive.html': {},
  'ghost-columns.html': { tags: ['meta', 'noscript'], attributes: ['xmlns'] },
  'fluid-hybrid-vml.html': { attributes: ['xmlns'] },
  'drag-and-drop.html': { attributes: ['xmlns'] },
  'marketing-modules.html': { tags: ['comment'], attributes: ['xmlns'] },
}

const directory = new URL('mails/', import.meta.url)
const sourceOf = (name: string) => readFileSync(new URL(name, directory), 'utf8')

/**
 * What a reader sees: elements with attributes and text in order, inline styles and sheets in one spelling, without what is
 * reported.
 */
function seen(html: string, { tags, attributes, cssProperties }: Stripped) {
  const elements: string[] = []
  const sheets: string[] = []
  let text = ''
  const visit = (node: HtmlNode): void => {
    if ('tagName' in node) {
      if (node.tagName === 'style') {
        const css = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
        const media = node.attrs.find(({ name }) => name === 'media')?.value
        sheets.push(spelled(media === undefined ? css : `@media ${media}{${css}}`, 'stylesheet', cssProperties))
        return
      }
      if (!tags.includes(node.tagName)) {
        const kept = node.attrs
          .map(({ name, prefix, value }) => [prefix ? `${prefix}:${name}` : name, value] as const)
          .filter(([name]) => !attributes.includes(name))
          .map(
            ([name, value]) => `${name}=${name === 'style' ? spelled(value, 'declarationList', cssProperties) : value}`,
          )
          .filter((attribute) => attribute !== 'style=')
        elements.push([node.tagName, ...kept].join(' | '))
      }
    }
    if (node.nodeName === '#text' && 'value' in node) text += node.value
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html, { scriptingEnabled: false }))
  return { elements, text: text.replace(/[ \n]+/g, ' ').trim(), sheets: sheets.join('') }
}

function spelled(css: string, context: 'stylesheet' | 'declarationList', without: readonly string[]): string {
  const tree = cssTree.parse(css, { context })
  cssTree.walk(tree, (node, item, list) => {
    const name = node.type === 'Declaration' ? node.property : node.type === 'Atrule' ? `@${node.name}` : node.type
    if (without.includes(name) || name === 'Comment') list?.remove(item)
  })
  return cssTree.generate(tree)
}

const conditional = /<!--\[if\s+([^\]]*?)\s*\]>(<!--\s*-->|<!-->)?|<!--\s*<!\s*\[endif\]\s*-->|<!\s*\[endif\]-->/g

/** An email as Outlook reads it: with the content of its conditional comments, and without the content for other clients. */
function inOutlook(html: string): string {
  let isLeftOut = false
  const marked = html.replace(conditional, (mark, condition: string | undefined, isRevealed: string | undefined) => {
    if (condition?.startsWith('!') && isRevealed) {
      isLeftOut = true
      return '<!--left out'
    }
    const ends = isLeftOut && mark.startsWith('<!--') && condition === undefined
    if (ends) isLeftOut = false
    return ends ? '-->' : ''
  })
  // XML closes empty elements itself, which HTML parsers ignore
  return marked.replace(/<((?:[ovw]:)[a-z]+)((?:\s[^<>]*)?)\/>/gi, '<$1$2></$1>')
}

test('every email of the folder is in the list', () => {
  expect(readdirSync(directory).toSorted()).toEqual(Object.keys(mails).toSorted())
})

describe.each(Object.entries(mails))('%s', (name, removed) => {
  const stripped = { tags: [], attributes: [], cssProperties: [], protocols: [], ...removed }

  test('keeps every element, attribute, style, rule and word except those reported', () => {
    const { html, stripped: named } = sanitise(sourceOf(name))
    expect(named).toEqual(stripped)
    expect(seen(html, stripped)).toEqual(seen(sourceOf(name), stripped))
    expect(sanitise(html).html).toBe(html)
  })

  test('keeps all of that for Outlook too', () => {
    const { html } = sanitise(sourceOf(name))
    expect(seen(inOutlook(html), stripped)).toEqual(seen(inOutlook(sourceOf(name)), stripped))
  })

  test('has no warnings, and a plain text with whole tokens and the unsubscribe link', () => {
    const { content, validation } = prepareContent({
      subject: 'News',
      html: sourceOf(name),
      preheader: null,
      plainText: null,
      personalizationDefaults: {},
    })
    expect(validation).toMatchObject({ valid: true, reviewWarnings: [], unsubscribePresent: true })
    expect(content.plainText).toContain('{{ unsubscribe_url }}')
    for (const token of validation.tokens) expect(content.plainText).toMatch(new RegExp(`\\{\\{ ?${token} ?\\}\\}`))
    expect(content.plainText.replace(/\{\{ ?\w+ ?\}\}/g, '')).not.toMatch(/[{}<>]{1}[a-z/]|[{}]/)
  })
})
