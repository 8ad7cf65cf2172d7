import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { Fault } from '@lettergate/fault'
import { hostileVectors } from './hostile-vectors.ts'
import { sanitise } from './sanitise.ts'

type Node = DefaultTreeAdapterTypes.Node

const nothing = { tags: [], attributes: [], cssProperties: [], protocols: [] }
const neverAllowed =
  /^(script|iframe|object|embed|applet|base|link|svg|math|template|form|input|button|textarea|select|option|frame|frameset|video|audio|noscript|image|portal|xmp|plaintext)$/

/** What an attacker would need, looked for by a deny-list of its own: independent of the sanitiser's allow-lists. */
function dangers(html: string): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    if ('tagName' in node) {
      if (neverAllowed.test(node.tagName) || !node.namespaceURI.endsWith('/xhtml')) found.push(`<${node.tagName}>`)
      for (const { name, value } of node.attrs) {
        if (/^on|^srcdoc$|^formaction$|^srcset$|:/.test(name)) found.push(name)
        // eslint-disable-next-line no-control-regex
        if (/^(javascript|vbscript|data|blob|file):/i.test(value.replace(/[\u0000-\u0020]/g, ''))) found.push(value)
        if (name === 'style') found.push(...cssDangers(value))
        if (name === 'http-equiv' && !/^(content-type|x-ua-compatible)$/i.test(value)) found.push(value)
      }
    }
    if (node.nodeName === '#comment') found.push('comment')
    if ('value' in node && node.parentNode?.nodeName === 'style') found.push(...cssDangers(node.value))
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html))
  return found
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

  test('the corpus holds at least 300 vectors, none twice', () =>
    expect(new Set(vectors.map(([, vector]) => vector)).size).toBeGreaterThanOrEqual(300))

  test.each(vectors)('%s: nothing dangerous is left of %j, alone or inside a mail', (_, vector) => {
    for (const source of [
      vector,
      `<html><head>${vector}</head><body><table><tr><td>${vector}</td></tr></table></body></html>`,
    ]) {
      const { html } = sanitise(source)
      expect(dangers(html)).toEqual([])
      expect(sanitise(html)).toEqual({ html, stripped: nothing })
    }
  })

  test('every vector at once, in every neighbourhood of tricks, is still harmless', () => {
    for (const list of Object.values(hostileVectors)) {
      const { html } = sanitise(list.join('<p>x</p>'))
      expect(dangers(html)).toEqual([])
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

  test('what is stored is a fixed point without anything dangerous, or the HTML is refused', () => {
    fc.assert(
      fc.property(documents, (source) => {
        let html
        try {
          html = sanitise(source).html
        } catch (error) {
          expect(error).toBeInstanceOf(Fault)
          return
        }
        expect(dangers(html)).toEqual([])
        expect(sanitise(html)).toEqual({ html, stripped: nothing })
      }),
      { numRuns: 1_500 },
    )
  })
})

describe('what is removed is named once, bare and in lower case', () => {
  test.each([
    ['<SCRIPT>x</SCRIPT><script>y</script><p ONCLICK=x onclick=y>a', { tags: ['script'], attributes: ['onclick'] }],
    ['<a href="JavaScript:x">a</a><img src="data:image/png,x">b', { protocols: ['data', 'javascript'] }],
    ['<p style="POSITION:fixed;Behavior:url(x);color:red">a', { cssProperties: ['behavior', 'position'] }],
    [
      '<style>@import "x";@font-face{src:url(x)}a{position:absolute}</style>a',
      { cssProperties: ['@font-face', '@import', 'position'] },
    ],
    ['<p style="background:url(http://x.test/a.png)">a', { cssProperties: ['background'], protocols: ['http'] }],
    ['<!-- a --><!--[if mso]>b<![endif]-->c', { tags: ['comment'] }],
    [
      '<meta http-equiv=refresh content="0;url=x"><svg></svg><base href=x><form><input></form>a',
      { tags: ['base', 'form', 'input', 'meta', 'svg'] },
    ],
    ['<a href="">a</a><img src=" "><p background="">b', { attributes: ['background', 'href', 'src'] }],
    ['<p style=" ">a', { attributes: ['style'] }],
    ['<style type="text/css" media="all" title="x" data-y>p{color:red}</style>a', { attributes: ['data-y', 'title'] }],
  ])('%j', (source, expected) => {
    expect(sanitise(source).stripped).toEqual({ ...nothing, ...expected })
  })
})

describe('marketing mail survives', () => {
  const mail = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html lang="en" dir="ltr"><head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><meta name="color-scheme" content="light dark" /><title>News</title>
<style>@media (max-width:600px){.w{width:100%!important}.sm\\:hide{display:none!important}}@media (prefers-color-scheme:dark){.bg{background:#111!important}}[data-ogsc] .t{color:#fff}u+.body .x>a{color:inherit}</style></head>
<body class="body" bgcolor="#ffffff" style="margin:0;padding:0;-webkit-text-size-adjust:100%"><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" align="center"><tbody><tr><td background="https://i.test/bg.png" valign="top" style="padding:20px 0;background:#eee url(https://i.test/bg.png)no-repeat center/cover;font-family:Helvetica,&quot;Open Sans&quot;,sans-serif;mso-line-height-rule:exactly">
<img src="https://i.test/a.png" alt="" width="560" style="display:block;max-width:100%;border:0" /><a href="https://shop.test/?a=1&amp;b=2" target="_blank" style="display:inline-block;padding:12px 24px;border-radius:4px;background-image:linear-gradient(#06f,#04c);color:#fff;text-decoration:none">Buy &amp; save</a>
</td></tr></tbody></table></body></html>`

  test('tables, inline styles, media queries, dark mode, images and buttons come through untouched', () => {
    expect(sanitise(mail)).toEqual({ html: mail, stripped: nothing })
  })

  test('what @supports asks about is no declaration: it may name properties that mail may not set', () => {
    const html = '<style>@supports (-webkit-overflow-scrolling:touch){p{color:red}}</style><p>x</p>'
    expect(sanitise(html)).toEqual({ html, stripped: nothing })
    expect(sanitise('<style>@supports (x:y){p{position:fixed}}</style>x')).toEqual({
      html: 'x',
      stripped: { ...nothing, cssProperties: ['position'] },
    })
  })

  test('style sheets of the body move to the end of the head', () => {
    const { html } = sanitise('<html><body><style media="print">p{color:red}</style><p>x</p></body></html>')
    expect(html).toBe('<html><head><style>@media print{p{color:red}}</style></head><body><p>x</p></body></html>')
  })

  test.each([
    '<meta charset="iso-2022-jp">',
    '<meta charset="utf-7" name="viewport" content="width=1">',
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-7">',
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8; charset=gb18030">',
    '<meta http-equiv="Content-Type" content="text/xml">',
  ])('another encoding than the one that is sent is not named: %s', (meta) => {
    expect(sanitise(`<html><head>${meta}</head><body>x</body></html>`)).toEqual({
      html: '<html><head></head><body>x</body></html>',
      stripped: { ...nothing, tags: ['meta'] },
    })
  })

  test('a mail of 100 kB takes well under a second of one processor', () => {
    const big = mail.replace(
      '</tbody>',
      '<tr><td style="color:red;padding:1px 2px">Some <b>text</b></td></tr>'.repeat(1_600) + '</tbody>',
    )
    const started = process.cpuUsage()
    expect(sanitise(big).html.length).toBeGreaterThan(100_000)
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_500)
  })

  test.each([
    ['nested deeper', '<div>'.repeat(50_000)],
    ['pieces of text', '<'.repeat(1_000_000)],
    ['elements', '<p>x'.repeat(300_000)],
    ['attributes', `<p ${Array.from({ length: 210_000 }, (_, n) => `a${n}`).join(' ')}>`],
    ['characters of CSS', `<style>${'a{color:red}'.repeat(50_000)}</style>x`],
    ['a style attribute of more', `<p style="${'color:red;'.repeat(10_000)}">x</p>`],
    ['mistakes in its CSS', `<p style="${':;'.repeat(20_000)}">x</p>`],
    ['mistakes in its CSS', `<style>p{${'!;'.repeat(100_000)}}</style>x`],
    ['mistakes in its CSS', Array.from({ length: 300 }, (_, n) => `<p style="z-index:${n};:;:;:;:;:;">x</p>`).join('')],
  ])('what would take seconds to read is refused at once: %s', (what, source) => {
    expect(() => sanitise(source)).toThrow(new RegExp(`^html .*${what}`))
  })

  test('CSS nested beyond any mail is dropped', () => {
    expect(sanitise(`<p style="width:${'calc('.repeat(10_000)}">x</p>`)).toEqual({
      html: '<p>x</p>',
      stripped: { ...nothing, cssProperties: ['unparsable'] },
    })
  })

  test('a document of very many siblings does not exhaust the stack', () => {
    expect(sanitise('<b>{{ a }}</b>'.repeat(60_000)).html).toHaveLength(14 * 60_000)
  })
})

describe('tokens stand only where a value can be escaped', () => {
  test.each([
    ['<{{ tag }}>x', 'the name of a tag'],
    ['<h{{level}}>x', 'the name of a tag'],
    ['<p {{ name }}="x">x', 'the name of an attribute'],
    ['<p data-{{ name }}="x">x', 'the name of an attribute'],
    ['<p title={{name}}>x', 'an attribute value without quotes'],
    ['<p style="color:{{ color }}">x', 'CSS'],
    ['<p style="color:&#123;&#123;color}}">x', 'CSS'],
    ['<style>p{color:{{ color }}}</style>x', 'CSS'],
    ['<style media="{{ media }}">p{color:red}</style>x', 'CSS'],
    ['<html><head><meta charset="{{ charset }}"></head><body>x</body></html>', 'the encoding'],
    ['<html><head><meta http-equiv="Content-Type" content="text/html; charset={{ a }}"></head></html>', 'the encoding'],
    ['<!-- {{ name }} -->x', 'a comment'],
    ['<!--[if mso]>{{ name }}<![endif]-->x', 'a comment'],
    ['<img src="{{ url }}">', 'scheme or host'],
    ['<img src="{{ scheme }}://x.test/a.png">', 'scheme or host'],
    ['<img src="https://{{ host }}/a.png">', 'scheme or host'],
    ['<img src="https://cdn.{{ host }}">', 'scheme or host'],
    ['<img src="https://x.test\\{{ a }}/">', 'scheme or host'],
    ['<a href="{{ link }}">x</a>', 'the address of a link'],
    ['<a href="https://x.test/?a={{ first_name }}">x</a>', 'the address of a link'],
    ['<a href="mailto:{{ email }}">x</a>', 'the address of a link'],
    ['<a href="{{ unsubscribe_url }}?x=1">x</a>', 'scheme or host'],
    ['<a href="https://{{ unsubscribe_url }}">x</a>', 'scheme or host'],
    ['<html><head>{{ name }}<title>x</title></head><body>x</body></html>', 'changes the structure'],
  ])('%j is refused', (source, place) => {
    expect(() => sanitise(source)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: 'html' }))
    expect(() => sanitise(source)).toThrow(new RegExp(`^html .*${place}`))
  })

  test.each([
    '<p title="For {{ first_name }}">Dear {{first_name}}</p>',
    '<img src="https://x.test/{{ plan }}.png?n={{ first_name }}" alt="{{ plan }}" />',
    '<html><head><meta name="description" content="For {{ first_name }}" /></head><body>x</body></html>',
    '<a href="{{ unsubscribe_url }}">Leave</a>',
    '<a href="https://x.test/out?to={{ unsubscribe_url }}">Leave</a>',
    '<table><tbody><tr><td>{{ a }}</td></tr></tbody></table>',
  ])('%j is kept as written', (source) => {
    expect(sanitise(source)).toEqual({ html: source, stripped: nothing })
  })
})
