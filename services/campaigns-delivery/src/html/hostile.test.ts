import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { Fault } from '@lettergate/fault'
import { hostileVectors } from './hostile-vectors.ts'
import { sanitise } from './sanitise.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node

const cleaned = (source: string) => {
  const { html, stripped } = sanitise(source)
  return { html, stripped }
}

const nothing = { tags: [], attributes: [], cssProperties: [], protocols: [] }
const neverAllowed =
  /^(script|iframe|object|embed|applet|base|link|svg|math|template|form|input|button|textarea|select|option|frame|frameset|video|audio|noscript|image|portal|xmp|plaintext)$/

/** Removes the marks of conditional comments: the document of a client that reads every part of it. */
const withAllParts = (html: string): string => html.replace(/<!--\[if[^\]]*\]>(?:<!-->)?|(?:<!--)?<!\[endif\]-->/g, '')

/**
 * Finds dangerous content with a deny-list that is independent of the sanitiser's allow-lists, in the document as browsers
 * and as Outlook read it.
 */
function dangers(html: string): string[] {
  return [...dangersOf(html), ...dangersOf(withAllParts(html))]
}

function dangersOf(html: string): string[] {
  const found: string[] = []
  const visit = (node: HtmlNode): void => {
    if ('tagName' in node) {
      if (neverAllowed.test(node.tagName) || !node.namespaceURI.endsWith('/xhtml')) found.push(`<${node.tagName}>`)
      for (const { name, value } of node.attrs) {
        const isNamespace = /^xmlns:[ovw]$/.test(name) && value.startsWith('urn:schemas-microsoft-com:')
        if (!isNamespace && /^on|^srcdoc$|^formaction$|^srcset$|:/.test(name)) found.push(name)
        // eslint-disable-next-line no-control-regex
        if (/^(javascript|vbscript|data|blob|file):/i.test(value.replace(/[\u0000-\u0020]/g, ''))) found.push(value)
        const isVml = node.tagName.startsWith('v:') && ['href', 'src'].includes(name)
        if (isVml && !/^(https?:\/\/[^/\\]|\{\{)/.test(value)) found.push(value)
        if (/^(href|src|background)$/.test(name) && /^(\\|\/[/\\]|[a-z]+:\/*[^/?#]*\\)/i.test(decoded(value)))
          found.push(value)
        if (name === 'style') found.push(...cssDangers(value))
        if (name === 'http-equiv' && !/^(content-type|x-ua-compatible)$/i.test(value)) found.push(value)
      }
    }
    if (node.nodeName === '#comment' && 'data' in node && !/^\[if [^<>]*\]>|^<!\[endif\]$/.test(node.data))
      found.push('comment')
    if ('value' in node && node.parentNode?.nodeName === 'style') found.push(...cssDangers(node.value))
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html))
  return found
}

const decoded = (url: string): string =>
  url
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0020]/g, '')
    .replace(/%5c/gi, '\\')
    .replace(/%2f/gi, '/')

// eslint-disable-next-line no-control-regex
const hasControls = (source: string): boolean => /[\u0000-\u0008\u000b-\u001f\u007f]|&#(?:1|14);/.test(source)

/** Returns the stored form of hostile HTML, or undefined when it is refused. */
function storedOf(source: string): string | undefined {
  try {
    return sanitise(source).html
  } catch (error) {
    expect(error).toBeInstanceOf(Fault)
    return undefined
  }
}

function cssDangers(css: string): string[] {
  const bad =
    /expression|behavior|-moz-binding|@import|@font-face|javascript|position:\s*(fixed|absolute)|var\(|image-set|url\((?!https:\/\/)|</gi
  return css.match(bad) ?? []
}

describe('hostile HTML', () => {
  const vectors = Object.entries(hostileVectors).flatMap(([trick, list]) =>
    list.map((vector) => [trick, vector] as const),
  )

  test('the corpus has at least 300 different vectors', () =>
    expect(new Set(vectors.map(([, vector]) => vector)).size).toBeGreaterThanOrEqual(300))

  test.each(vectors)('%s: nothing dangerous is left of %j, alone or inside an email', (_, vector) => {
    for (const source of [
      vector,
      `<html><head>${vector}</head><body><table><tr><td>${vector}</td></tr></table></body></html>`,
    ]) {
      const html = storedOf(source)
      // only a control character makes a whole document invalid
      expect(html !== undefined || hasControls(source)).toBe(true)
      if (html === undefined) continue
      expect(dangers(html)).toEqual([])
      expect(cleaned(html)).toEqual({ html, stripped: nothing })
    }
  })

  test('all vectors together, in any order of techniques, are harmless', () => {
    for (const list of Object.values(hostileVectors)) {
      const html = storedOf(list.filter((vector) => storedOf(vector) !== undefined).join('<p>x</p>'))
      if (html !== undefined) expect(dangers(html)).toEqual([])
    }
  })
})

describe('any HTML', () => {
  const pieces = fc.oneof(
    fc.constantFrom(...Object.values(hostileVectors).flat()),
    fc.constantFrom(
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      '<table>',
      '<tr>',
      '<td>',
      '</table>',
      '<a href="https://a.test/?b=1&amp;c">',
      '</a>',
      '<style>',
      '</style>',
    ),
    fc.constantFrom(
      '<html>',
      '<head>',
      '</head>',
      '<body>',
      '<title>',
      '<!--[if mso]>',
      '<!--[if !mso]><!-->',
      '<!--<![endif]-->',
      '<![endif]-->',
      '<v:fill src="https://a.test/b.png" />',
      '</title>',
      '<!--',
      '-->',
      '"',
      "'",
      '<',
      '>',
      '&',
      '&#60;',
      '<div style="',
      '<p title="',
      '{{ first_name }}',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  const documents = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''))

  test('is stored as a fixed point without dangerous content, or refused', () => {
    fc.assert(
      fc.property(documents, (source) => {
        const html = storedOf(source)
        if (html === undefined) return
        expect(dangers(html)).toEqual([])
        expect(cleaned(html)).toEqual({ html, stripped: nothing })
      }),
      { numRuns: 1_500 },
    )
  })
})
