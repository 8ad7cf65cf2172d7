import { describe, expect, test } from '@jest/globals'
import { prepareContent, type AuthoredContent } from './prepare.ts'

function validation(over: Partial<AuthoredContent>) {
  const authored = {
    subject: 'News',
    html: '<p>Hi <a href="{{ unsubscribe_url }}">out</a></p>',
    preheader: null,
    plainText: null,
    personalizationDefaults: {},
  }
  return prepareContent({ ...authored, ...over }).validation
}

function plainText(html: string): string {
  return prepareContent({ subject: 's', html, preheader: null, plainText: null, personalizationDefaults: {} }).content
    .plainText
}

describe('the report for the author describes what will be sent', () => {
  test('links are all a[href] of the sanitised copy, images all elements with a source', () => {
    const html = `<a href="https://a.test">1</a><a href="#x">2</a><a href="javascript:x">3</a><a name="y">4</a><a href="{{ unsubscribe_url }}">5</a>
      <img src="https://i.test/a.png" alt=""><img src="data:x" alt=""><map name="m"><area href="https://a.test"></map>`
    expect(validation({ html })).toMatchObject({ links: 3, images: 1, valid: true })
  })

  test('tokens are taken from subject, preheader, HTML and plain text, each once, without the unsubscribe link', () => {
    const seen = validation({
      subject: '{{ a }} {{b}}',
      preheader: '{{ c }}',
      html: '<p title="{{ d }}">{{a}}{{ unsubscribe_url }}</p>',
      plainText: '{{ e }} {{  a\n}}',
      personalizationDefaults: { a: 'x', c: '' },
    })
    expect(seen.tokens.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(seen.missingDefaults.toSorted()).toEqual(['b', 'd', 'e'])
    expect(seen.unsubscribePresent).toBe(true)
  })

  test('the unsubscribe link is present when readers of the HTML can see it', () => {
    const token = '{{ unsubscribe_url }}'
    const present = (over: Partial<AuthoredContent>) => validation({ html: '<p>x</p>', ...over }).unsubscribePresent
    expect(present({ html: `<a href="${token}">Leave</a>` })).toBe(true)
    expect(present({ html: `<p>Leave: ${token}</p>` })).toBe(true)
    for (const elsewhere of [{ subject: token }, { preheader: token }, { plainText: `Leave: ${token}` }]) {
      expect(present(elsewhere)).toBe(false)
      expect(validation({ html: '<p>x</p>', ...elsewhere })).toMatchObject({
        tokens: [],
        reviewWarnings: ['unsubscribe_link_missing'],
      })
    }
  })

  const leave = (inside: string, attributes = '') => `<a href="{{ unsubscribe_url }}"${attributes}>${inside}</a>`

  test.each([
    leave('Leave'),
    leave('<b>Leave</b>', ' style="color:#fff"'),
    leave('<img src="https://i.test/leave.png" alt="Leave">'),
    '<a href="{{unsubscribe_url}}">Leave</a>',
    `<td style="font-size:0"><div style="font-size:14px">${leave('Leave')}</div></td>`,
    `<div style="background:#fff"><div style="background:#000">${leave('Leave', ' style="color:#FFFFFF"')}</div></div>`,
    `<style>@media print{a{display:none}}.b{display:none}</style>${leave('Leave', ' class="a"')}`,
    `<p style="display:none">${leave('No')}</p>${leave('Leave')}`,
    leave('\u200bLeave\u00ad'),
    leave('<img src="https://i.test/leave.png" alt="Leave" width="1" style="width:90px">'),
    leave('<img src="https://i.test/leave.png" alt="Leave" width="100%" height="20">'),
    `<style>.off{display:none}</style>${leave('Leave', ' class="off" style="display:inline"')}`,
    `<style>.off{display:none!important}</style>${leave('Leave', ' class="off" style="display:inline!important"')}`,
    `<p style="display:inline!important;display:none">${leave('Leave')}</p>`,
    `<p style="background-color:#fff;background:#000">${leave('Leave', ' style="color:#fff"')}</p>`,
    `<p style="text-indent:-18px">${leave('Leave')}</p>`,
  ])('an unsubscribe link that readers can see and use counts: %s', (html) =>
    expect(validation({ html })).toMatchObject({ unsubscribePresent: true, reviewWarnings: [] }),
  )

  test.each([
    '<p title="{{ unsubscribe_url }}">x</p>',
    '<html><head><title>{{ unsubscribe_url }}</title></head><body>x</body></html>',
    leave(''),
    leave('&nbsp; '),
    leave('<img src="https://i.test/dot.png" alt="">'),
    leave('<img alt="Leave">'),
    '<a href="https://t.test/?to={{ unsubscribe_url }}">Leave</a>',
    leave('Leave', ' hidden'),
    leave('Leave', ' style="display:none"'),
    `<div style="visibility:hidden"><p>${leave('Leave')}</p></div>`,
    `<div style="font-size:0px">${leave('Leave')}</div>`,
    `<div style="max-height:0;overflow:hidden">${leave('Leave')}</div>`,
    `<div style="opacity:0">${leave('Leave')}</div>`,
    `<div style="background-color:#ffffff">${leave('Leave', ' style="color:#FFF"')}</div>`,
    `<table bgcolor="white"><tr><td>${leave('<font color="#ffffff">Leave</font>')}</td></tr></table>`,
    `<style>.off{display:none}</style><p class="x off">${leave('Leave')}</p>`,
    `<style>a.off,#b{font-size:0}</style>${leave('Leave', ' class="off"')}`,
    `<!--[if mso]>${leave('Leave')}<![endif]-->x`,
    '<p style="display:none">{{ unsubscribe_url }}</p>',
    leave('\u200b\u200c\u200d\u2060\ufeff\u00ad'),
    leave(' &#8203;&shy;&zwnj; '),
    leave('\u034f\u200e\u2800\u3164'),
    leave('<img src="https://i.test/dot.png" alt="&zwnj;">'),
    leave('<img src="https://i.test/dot.png" alt="Leave" width="1" height="1">'),
    leave('<img src="https://i.test/dot.png" alt="Leave" height="0">'),
    leave('<img src="https://i.test/dot.png" alt="Leave" width="1px">'),
    leave('<img src="https://i.test/dot.png" alt="Leave" width="90" style="width:1px">'),
    leave('<img src="https://i.test/dot.png" alt="Leave" style="max-height:0">'),
    `<style>.dot{height:1px}</style>${leave('<img src="https://i.test/dot.png" alt="Leave" class="dot">')}`,
    `<style>.off{display:none!important}</style>${leave('Leave', ' class="off" style="display:inline"')}`,
    `<style>.off{display:none !IMPORTANT}</style>${leave('Leave', ' class="off" id="b" style="display:inline"')}`,
    `<style>a{display:none!important}a{display:inline}</style>${leave('Leave')}`,
    `<style>.w{background:#fff!important}</style><p class="w" style="background-color:#000">${leave('Leave', ' style="color:#fff"')}</p>`,
    `<p style="display:none!important;display:block">${leave('Leave')}</p>`,
    `<p style="text-indent:-999px">${leave('Leave')}</p>`,
    `<div style="text-indent:-9999em"><p>${leave('<img src="https://i.test/leave.png" alt="Leave">')}</p></div>`,
  ])('an unsubscribe link that readers cannot see or use does not count and gives a warning: %s', (html) => {
    const seen = validation({ html: `<p>Hi</p>${html}` })
    expect(seen.unsubscribePresent).toBe(false)
    expect(seen.reviewWarnings).toContain('unsubscribe_link_missing')
  })

  test('tokens of removed markup are in no list', () => {
    expect(validation({ html: '<p>x</p><script>{{ a }}</script><p onclick="{{ b }}">y</p>' }).tokens).toEqual([])
  })

  test.each([
    ['<script>alert(1)</script>', false],
    ['<div> <br>&nbsp;</div><style>p{color:red}</style>', false],
    ['<html><head><title>only a title</title></head><body></body></html>', false],
    ['<img src="https://i.test/a.png" alt="">', true],
    ['<p>x</p><script>alert(1)</script>', true],
  ])('%j: valid is %s, because only an empty result is invalid', (html, valid) => {
    expect(validation({ html }).valid).toBe(valid)
  })

  test.each([
    ['unsubscribe_link_missing', { html: '<p>x</p>' }],
    ['outlook_markup_removed', { html: '<!--[if mso]><v:shape>x</v:shape><![endif]-->' }],
    ['outlook_markup_removed', { html: '<!--[if mso]x]><table><![endif]-->' }],
    ['content_empty', { html: '<script>x</script>' }],
    ['malformed_token', { subject: 'Hi {{ First Name }}' }],
    ['insecure_links', { html: '<a href="http://a.test">x</a>' }],
    ['relative_links', { html: '<a href="/shop">x</a>' }],
    ['images_without_alt', { html: '<img src="https://i.test/a.png">' }],
    ['huge_images', { html: '<img src="https://i.test/a.png" alt="" width="3000">' }],
    ['huge_images', { html: '<img src="https://i.test/a.png" alt="" style="max-width:100%;width: 3000px!important">' }],
    ['size_over_100_kb', { html: `<p>${'word '.repeat(21_000)}</p>` }],
    ['spam_markup', { subject: 'BUY THIS NOW AND SAVE' }],
    ['spam_markup', { subject: 'Buy now!!!' }],
    ['spam_markup', { html: '<p>x <span style="font-size:0">hidden words</span></p>' }],
    ['spam_markup', { html: '<p>x <font size="7" color="red">BUY</font></p>' }],
    ['spam_markup', { html: '<p style="color:#fff;background-color:#FFF">hidden words</p>' }],
    ['spam_markup', { html: '<p>Hurry!!!! Only today</p>' }],
  ])('warns of %s', (code, over) => {
    expect(validation(over).reviewWarnings).toContain(code)
  })

  test.each(['width="100%"', 'width="1200"', 'style="width:100%"', 'style="max-width:3000px;width:1200px"'])(
    'an image with %s is not huge',
    (size) => {
      const { reviewWarnings } = validation({ html: `<img src="https://i.test/a.png" alt="" ${size}>` })
      expect(reviewWarnings).not.toContain('huge_images')
    },
  )

  test('a well-made email has no warnings', () => {
    expect(
      validation({ html: '<p>Hi</p><a href="https://a.test">shop</a><a href="{{unsubscribe_url}}">leave</a>' })
        .reviewWarnings,
    ).toEqual([])
  })
})

describe('tokens have a limit', () => {
  const different = (count: number) => Array.from({ length: count }, (_, n) => `{{ t${n} }}`).join('')

  test.each([
    ['html', { html: `<p>${'{{ a }}'.repeat(5_001)}</p>` }],
    ['plain_text', { plainText: '{{ a }}'.repeat(5_001) }],
    ['html', { html: `<p>${different(201)}</p>` }],
    ['preheader', { html: `<p>${different(200)}</p>`, preheader: '{{ one_more }}' }],
  ])('and %s that exceeds it is named', (field, over) => {
    expect(() => validation(over)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: field }))
  })

  test('that no normal email reaches', () => {
    expect(validation({ html: `<p>${'{{ a }}'.repeat(4_800)}${different(199)}</p>` }).tokens).toHaveLength(200)
  })
})

describe('plain text', () => {
  test('is generated when it is absent or blank, and kept as it is otherwise', () => {
    expect(validation({ plainText: null }).plainTextGenerated).toBe(true)
    expect(validation({ plainText: ' \n' }).plainTextGenerated).toBe(true)
    expect(validation({ plainText: 'Hi' }).plainTextGenerated).toBe(false)
  })

  test('keeps the case of headings and whole tokens', () => {
    const text = plainText(
      '<style>p{color:red}</style><h1>Dear {{ first_name }}</h1><p>' +
        'long '.repeat(40) +
        '{{ company }}</p><a href="{{ unsubscribe_url }}">Leave</a>',
    )
    expect(text).toMatch(/^Dear \{\{ first_name }}\n/)
    expect(text).toContain('{{ company }}')
    expect(text).toContain('Leave ({{ unsubscribe_url }})')
    expect(text).not.toContain('color')
  })

  test('has the text of the HTML, with decoded entities and full links', () => {
    expect(
      plainText('<table><tr><td>A &amp; B</td><td><a href="https://a.test/?x=1&amp;y=2">go</a></td></tr></table>'),
    ).toBe('A & B\ngo (https://a.test/?x=1&y=2)')
  })

  test('contains the alternative text of an image, but not its title', () => {
    expect(plainText('<a href="https://a.test"><img src="https://i.test/b.png" alt="Shop &amp; save"></a>')).toBe(
      'Shop & save (https://a.test)',
    )
    expect(plainText('<p>Hi<img src="https://i.test/dot.png" alt=""></p><title>T</title>')).toBe('Hi')
    expect(plainText('<img src="https://i.test/c.png" alt="For {{ first_name }}">')).toBe('For {{ first_name }}')
  })
})

describe('control characters', () => {
  test.each([
    ['html', { html: '<p>a\u0001b</p>' }],
    ['html', { html: '<p>a&#1;b</p>' }],
    ['html', { html: '<p title="&#x1b;[31m">b</p>' }],
    ['html', { html: '<!--[if mso]>&#27;<![endif]-->b' }],
    ['html', { html: '<script>\u001b</script>b' }],
    ['subject', { subject: 'a\u0001b' }],
    ['preheader', { preheader: 'a\u001b[31mb' }],
    ['plain_text', { plainText: 'a\u0007b' }],
    ['personalization_defaults', { personalizationDefaults: { a: 'x\u001b' } }],
    ['html', { html: '<p>a\u000cb</p>' }],
    ['html', { html: '<p\u000cid="a">b</p>' }],
    ['html', { html: '<p title="&#12;">b</p>' }],
    ['html', { html: '<!--[if mso]>&#12;<![endif]-->b' }],
    ['subject', { subject: 'a\u000cb' }],
    ['plain_text', { plainText: 'a\u000cb' }],
  ])('in %s are refused by name: %j', (field, over) => {
    expect(() => validation(over)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: field }))
  })

  test.each([
    ['html', { html: '<p>It\u0092s on</p>' }],
    ['html', { html: '<!--[if mso]>It\u0092s on<![endif]-->b' }],
    ['html', { html: '<p title="a\u0085">b</p>' }],
    ['html', { html: '<p>&#129;</p>' }],
    ['subject', { subject: 'It\u0092s on' }],
    ['preheader', { preheader: '\u0093Sale\u0094' }],
    ['plain_text', { plainText: 'a \u0096 b' }],
    ['personalization_defaults', { personalizationDefaults: { price: '\u0080 5' } }],
  ])('in text from another encoding are refused in %s, with advice: %j', (field, over) => {
    expect(() => validation(over)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        reason: field,
        message: expect.stringMatching(/U\+00[89][\dA-F].* as UTF-8/),
      }),
    )
  })

  test('do not include references that browsers read as a Windows-1252 character', () => {
    const { content } = prepareContent({
      subject: 's',
      html: '<p>It&#146;s &#x80; 5 &#133;</p>',
      preheader: null,
      plainText: null,
      personalizationDefaults: {},
    })
    expect(content).toMatchObject({ sanitizedHtml: '<p>It’s € 5 …</p>', plainText: 'It’s € 5 …' })
  })

  test('that end lines are kept in texts; the stored subject has none', () => {
    const { content } = prepareContent({
      subject: 'Hi {{\r\nname }},\r\nBcc: a@b.test\t',
      html: '<p>a\tb\r\nc</p>',
      preheader: null,
      plainText: 'a\tb\r\nc',
      personalizationDefaults: { name: 'A\r\nB' },
    })
    expect(content).toMatchObject({ subject: 'Hi {{ name }}, Bcc: a@b.test', plainText: 'a\tb\r\nc' })
  })
})

test.each([
  ['a title of ampersands', `<title>${'&'.repeat(1_900_000)}</title>x`],
  ['text of brackets', `<p>${'>'.repeat(1_900_000)}`],
  ['an attribute of quotes', `<p title='${'"'.repeat(1_900_000)}'>x</p>`],
  ['a hidden comment', `<!--[if mso]>${'&'.repeat(1_900_000)}<![endif]-->x`],
])('content that would grow several times when stored is refused before it is cleaned: %s', (_, html) => {
  expect(() => validation({ html })).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      reason: 'html',
      message: expect.stringContaining('becomes longer'),
    }),
  )
})
