import { describe, expect, test } from '@jest/globals'
import { sanitise } from './sanitise.ts'

const nothing = { tags: [], attributes: [], cssProperties: [], protocols: [] }
const inOutlook = (markup: string) => `<!--[if mso]>${markup}<![endif]-->`

/**
 * URLs that Windows may open as a file share and sign in to with the reader's account, and URLs that browsers complete with
 * a scheme.
 */
const shares = [
  '\\\\evil.example\\s\\a.png',
  '//evil.example/s/a.png',
  '/\\evil.example\\s\\a.png',
  '\\/evil.example/s/a.png',
  '\\\\?\\UNC\\evil.example\\s\\a.png',
  '\\??\\UNC\\evil.example\\s\\a.png',
  ' \\\\evil.example\\s',
  '\t\\\n\\evil.example\\s',
  '&nbsp;//evil.example/s',
  '/&#9;/evil.example/s',
  '&#92;&bsol;evil.example\\s',
  '&sol;&#x2f;evil.example/s',
  '%5c%5Cevil.example%5cs',
  '%2f%2Fevil.example/s',
  'https:\\\\evil.example\\s',
  'https:/\\evil.example/s',
  'https://a.test\\@evil.example/s',
  'http://a.test\\s',
  'http:%5c%5cevil.example/s',
  'https://a.test\\{{ a }}/',
  '//{{ a }}/',
]

describe('no URL names a file share', () => {
  test.each(shares)('%s is removed and reported everywhere', (url) => {
    for (const place of [(markup: string) => markup, inOutlook]) {
      expect(sanitise(`${place(`<img src="${url}" alt="a" />`)}x`)).toMatchObject({
        html: `${place('<img alt="a" />')}x`,
        stripped: { ...nothing, attributes: ['src'] },
      })
      expect(sanitise(`${place(`<a href="${url}">b</a>`)}x`)).toMatchObject({
        html: `${place('<a>b</a>')}x`,
        stripped: { ...nothing, attributes: ['href'] },
      })
      const { html, stripped } = sanitise(`${place(`<table background="${url}"></table>`)}x`)
      expect(html).toBe(`${place('<table></table>')}x`)
      expect([...stripped.attributes, ...stripped.protocols]).toEqual([url.startsWith('http:') ? 'http' : 'background'])
    }
    expect(sanitise(`${inOutlook(`<v:rect href="${url}"><v:fill src="${url}" /></v:rect>`)}x`)).toMatchObject({
      html: `${inOutlook('<v:rect><v:fill /></v:rect>')}x`,
      stripped: { ...nothing, attributes: ['href', 'src'] },
    })
  })

  test('also not in CSS', () => {
    for (const url of ['//evil.example/s', '\\\\\\\\evil.example\\\\s', 'https:\\\\\\\\evil.example'])
      expect(sanitise(`<p style="background-image:url('${url}')">x</p>`).html).toBe('<p>x</p>')
  })

  test.each(['a.png', '/a.png', './a//b.png', '#a', '?a=//b', 'https://a.test/b\\c', 'https://a.test//b/%5C?c=\\d'])(
    '%s is kept',
    (url) => {
      const html = `<a href="${url}">x</a>${inOutlook(`<img src="${url}" />`)}`
      expect(sanitise(html)).toMatchObject({ html, stripped: nothing })
    },
  )
})
