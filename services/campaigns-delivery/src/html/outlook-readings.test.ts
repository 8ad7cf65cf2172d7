import { describe, expect, test } from '@jest/globals'
import { prepareContent } from '../content/prepare.ts'
import { outlookReadings } from './outlook-readings.ts'

const validation = (html: string) =>
  prepareContent({ subject: 'News', html, preheader: null, plainText: null, personalizationDefaults: {} }).validation

const inOutlook = (markup: string, condition = 'mso') => `<!--[if ${condition}]>${markup}<![endif]-->`
const elsewhere = (markup: string, condition = '!mso') => `<!--[if ${condition}]><!-->${markup}<!--<![endif]-->`
const link = (url: string) => `<a href="${url}">a</a>`
const image = (url: string, attributes = ' alt=""') => `<img src="${url}"${attributes} />`
const leave = link('{{ unsubscribe_url }}')
const button = (inside: string, attributes = '') =>
  `<v:roundrect href="{{ unsubscribe_url }}"${attributes}><w:anchorlock/>${inside}</v:roundrect>`

describe('links and images are counted over browsers and Outlook together', () => {
  test.each([
    [`${link('https://a.test/1')}${inOutlook('x')}`, 1, 0],
    [`${link('https://a.test/1')}${inOutlook(link('https://a.test/2'))}`, 2, 0],
    [`${inOutlook(link('https://a.test/1'))}${elsewhere(link('https://a.test/1'))}`, 1, 0],
    [`${inOutlook(link('https://a.test/1').repeat(2))}${elsewhere(link('https://a.test/1'))}`, 2, 0],
    [`${inOutlook(`<v:rect href="https://a.test/1">a</v:rect>`)}${elsewhere(link('https://a.test/1'))}`, 1, 0],
    [`${inOutlook(image('https://a.test/1.png'))}${elsewhere(image('https://a.test/2.png'))}`, 0, 2],
    [`${inOutlook(image('https://a.test/1.png'))}${elsewhere(image('https://a.test/1.png'))}`, 0, 1],
    [inOutlook('<v:image src="https://a.test/1.png" />'), 0, 1],
  ])('one that is in both counts once: %s', (html, links, images) =>
    expect(validation(`<p>x</p>${html}`)).toMatchObject({ links, images }),
  )
})

describe('a warning for browsers is also a warning for Outlook', () => {
  test.each([
    ['insecure_links', link('http://a.test')],
    ['insecure_links', image('http://a.test/a.png')],
    ['insecure_links', '<v:rect href="http://a.test">a</v:rect>'],
    ['insecure_links', '<v:rect><v:fill src="http://a.test/a.png" /></v:rect>'],
    ['relative_links', link('/shop')],
    ['relative_links', image('a.png')],
    ['images_without_alt', image('https://a.test/a.png', '')],
    ['huge_images', image('https://a.test/a.png', ' alt="" width="3000"')],
    ['spam_markup', '<font size="7">BUY</font>'],
    ['spam_markup', '<p>Hurry!!!! Only today</p>'],
  ])('%s: %s', (code, markup) => {
    for (const condition of ['mso', 'gte mso 9', '(gte mso 9)|(IE)', 'mso 16', '!IE'])
      expect(validation(`<p>x</p>${leave}${inOutlook(markup, condition)}`).reviewWarnings).toEqual([code])
  })

  test('a missing unsubscribe link in Outlook gives a warning, even if other clients show it', () => {
    expect(
      validation(`${elsewhere('<p>x</p>')}${inOutlook('<xml><o:PixelsPerInch>96</o:PixelsPerInch></xml>')}`),
    ).toMatchObject({ valid: true, reviewWarnings: ['content_empty', 'unsubscribe_link_missing'] })
  })
})

describe('the unsubscribe link is present when every reader has one', () => {
  test.each([
    `${leave}${inOutlook('x')}`,
    `${elsewhere(leave)}${inOutlook(leave)}`,
    `${elsewhere(leave)}${inOutlook(leave, '(gte mso 9)|(IE)')}`,
    `${elsewhere(leave)}${inOutlook(leave, 'lt mso 15')}${inOutlook(leave, 'gte mso 15')}`,
    `${elsewhere(leave)}${inOutlook(button('<center style="color:#fff">Leave</center>', ' fillcolor="#556270"'))}`,
    `<table bgcolor="#ffffff"><tr><td>${elsewhere(leave)}${inOutlook(button('<center style="color:#ffffff">Leave</center>', ' fillcolor="#556270"'))}</td></tr></table>`,
    `<div style="mso-hide:all">${leave}</div>${inOutlook(button('Leave'))}`,
    `${elsewhere(leave)}${inOutlook('<v:image href="{{ unsubscribe_url }}" src="https://a.test/a.png" alt="Leave" />')}`,
    `${elsewhere(leave, '!IE')}${inOutlook('x')}`,
    `${inOutlook('<v:rect fill="true"><v:textbox>')}<p>${leave}</p>${inOutlook('</v:textbox></v:rect>')}`,
  ])('%s', (html) =>
    expect(validation(`<p>x</p>${html}`)).toMatchObject({ unsubscribePresent: true, reviewWarnings: [] }),
  )

  test.each([
    elsewhere(leave),
    `${elsewhere(leave)}${inOutlook(leave, 'IE')}`,
    `${elsewhere(leave)}${inOutlook(leave, 'lt IE 9')}`,
    `${elsewhere(leave)}${inOutlook(leave, 'gte mso 15')}`,
    `${elsewhere(leave, '!(gte mso 15)')}`,
    `${elsewhere(leave)}${inOutlook('<v:rect href="{{ unsubscribe_url }}" />')}<p>y</p>`,
    `${elsewhere(leave)}${inOutlook(button('<center style="color:#fff">Leave</center>', ' fillcolor="#ffffff"'))}`,
    `${elsewhere(leave)}${inOutlook('<xml>{{ unsubscribe_url }}</xml>')}`,
    `<p style="mso-hide:all">${leave}</p>`,
    `<style>.off{mso-hide:all}</style><p class="off">${leave}</p>`,
    `${leave}${inOutlook('<style>a{display:none}</style>')}`,
    inOutlook(leave),
  ])('and missing otherwise: %s', (html) => {
    expect(validation(`<p>x</p>${html}`)).toMatchObject({
      unsubscribePresent: false,
      reviewWarnings: ['unsubscribe_link_missing'],
    })
  })
})

test.each([
  ['mso', 'yes'],
  ['!mso', 'no'],
  ['IE', 'no'],
  ['!IE', 'yes'],
  ['gte mso 9', 'yes'],
  ['lte mso 11', 'no'],
  ['(gte mso 9)|(IE)', 'yes'],
  ['(gte mso 9)&(IE)', 'no'],
  ['IE | mso & !IE', 'yes'],
  ['!(mso | IE)', 'no'],
  ['!((IE)&(mso)) & !!mso', 'yes'],
  ['mso 16', 'no yes'],
  ['gt mso 14', 'no yes'],
  ['mso mso', 'no'],
  ['((mso', 'no'],
])('the condition %s is evaluated as Outlook does: %s', (condition, expected) => {
  for (const html of [inOutlook('yes', condition), elsewhere('yes', condition)])
    expect(
      outlookReadings(html)
        .map((reading) => reading || 'no')
        .toSorted()
        .join(' '),
    ).toBe(expected)
})

test('content without Outlook markup has no separate Outlook version', () => {
  expect(outlookReadings('<p>x</p>')).toEqual([])
})
