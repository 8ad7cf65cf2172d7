import { describe, expect, test } from '@jest/globals'
import { sanitise } from './sanitise.ts'

const cleaned = (source: string) => {
  const { html, stripped } = sanitise(source)
  return { html, stripped }
}

const nothing = { tags: [], attributes: [], cssProperties: [], protocols: [] }

describe('conditional comments', () => {
  test.each([
    '<!--[if mso]><table role="presentation" width="600"><tr><td style="width:600px"><![endif]--><div>x</div><!--[if mso]></td></tr></table><![endif]-->',
    '<!--[if mso | IE]></td><td><![endif]-->x',
    '<!--[if (gte mso 9)|(IE)]><p><![endif]-->x',
    '<!--[if !mso]><!--><p>x</p><!--<![endif]-->',
    '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG /><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->x',
    '<!--[if mso]><style>*{font-family:Arial,sans-serif!important}</style><![endif]-->x',
    '<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:w="urn:schemas-microsoft-com:office:word" href="https://a.test/?b=1&amp;c" style="height:40px;v-text-anchor:middle;width:200px" arcsize="10%" strokecolor="#1e3650" fillcolor="#556270"><w:anchorlock /><center style="color:#fff">Go</center></v:roundrect><![endif]-->x',
    '<!--[if gte mso 9]><v:rect fill="true" stroke="false" style="width:600px"><v:fill type="tile" src="https://a.test/a.png" color="#7bceeb" /><v:textbox inset="0,0,0,0" style="mso-fit-shape-to-text:true"><![endif]--><p>x</p><!--[if gte mso 9]></v:textbox></v:rect><![endif]-->',
    '<!--[if mso]><i style="letter-spacing:25px;mso-font-width:-100%;mso-text-raise:30pt" hidden="">&amp; </i><![endif]-->x',
    '<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><p>x</p></html>',
  ])('of a known form are kept unchanged: %s', (html) => expect(cleaned(html)).toEqual({ html, stripped: nothing }))

  test.each([
    ['<![if !mso]><p>x</p><![endif]>', '<!--[if !mso]><!--><p>x</p><!--<![endif]-->'],
    ['<!--[if !mso]>--><p>x</p><!--<![endif]-->', '<!--[if !mso]><!--><p>x</p><!--<![endif]-->'],
    ['<!--[if !mso]><!-- --><p>x</p><!-- <![endif]-->', '<!--[if !mso]><!--><p>x</p><!--<![endif]-->'],
    ['<!--[IF  MSO ]><TD><![ENDIF]-->x', '<!--[if MSO]><td><![endif]-->x'],
  ])('are stored in one spelling: %s', (source, html) => expect(cleaned(source)).toEqual({ html, stripped: nothing }))

  test.each([
    ['<!-- words --><p>x</p>', '<p>x</p>', { tags: ['comment'] }, false],
    ['<!--[if mso]-->x', 'x', { tags: ['comment'] }, true],
    ['<!--[if lt IE 9]><script src="x"></script><![endif]-->x', 'x', { tags: ['comment', 'script'] }, false],
    ['<!--[if !mso]><!--><p>x</p>', '<p>x</p>', { tags: ['comment'] }, false],
    ['<p>x</p><!--<![endif]-->', '<p>x</p>', { tags: ['comment'] }, false],
    [
      '<!--[if mso]><noscript><xml><o:AllowPNG/></xml></noscript><![endif]-->x',
      '<!--[if mso]><xml><o:AllowPNG /></xml><![endif]-->x',
      { tags: ['noscript'] },
      false,
    ],
    [
      '<!--[if mso]><v:shape path="m" onclick="x">y</v:shape><v:rect href="javascript:x" fillcolor="#fff">z</v:rect><![endif]-->x',
      '<!--[if mso]>y<v:rect fillcolor="#fff">z</v:rect><![endif]-->x',
      { tags: ['v:shape'], attributes: ['href'] },
      true,
    ],
  ])('that are removed, or parts of them, are reported: %s', (source, html, named, lostInOutlook) => {
    expect(sanitise(source)).toEqual({ html, stripped: { ...nothing, ...named }, lostInOutlook })
  })

  test('style sheets keep their order among those for Outlook, and one that Outlook must not read stays in its part', () => {
    const head =
      '<style>a{color:red}</style><!--[if mso]><style>a{color:blue}</style><![endif]--><!--[if !mso]><!--><style>b{color:red}</style><!--<![endif]-->'
    const html = `<html><head>${head}</head><body>x<!--[if !mso]><!--><style>i{color:red}</style><i>y</i><!--<![endif]--></body></html>`
    expect(cleaned(html)).toEqual({ html, stripped: nothing })
  })

  test('style sheets are found after end tags of any spelling', () => {
    for (const end of ['</b >', '</b\n>', '</b/>', '</b x="<">', '</b <!-->'])
      expect(
        cleaned(
          `<b>a${end}<!--[if mso]><td><![endif]--><i>x${end.replace('b', 'i')}<style>p{color:red}</style\n><u>y</u>`,
        ).html,
      ).toBe('<style>p{color:red}</style><b>a</b><!--[if mso]><td><![endif]--><i>x</i><u>y</u>')
  })

  test('HTML that is nested too deeply for Outlook is refused', () => {
    expect(() => sanitise('<!--[if mso]><div><![endif]-->'.repeat(50_000))).toThrow('nested deeper')
  })

  test('the markup of comments counts toward every limit', () => {
    const hidden = (inside: string) => () => sanitise(`<!--[if mso]>${inside}<![endif]-->x`)
    expect(hidden('<b></b>x'.repeat(150_000))).toThrow('elements, attributes and pieces')
    expect(hidden(`<style>${'a{color:red}'.repeat(50_000)}</style>`)).toThrow('characters of CSS')
    expect(hidden(`<p style="${'color:red;'.repeat(10_000)}">`)).toThrow('a style attribute of more')
    expect(hidden(`<p style="${':;'.repeat(20_000)}">`)).toThrow('mistakes in its CSS')
  })
})
