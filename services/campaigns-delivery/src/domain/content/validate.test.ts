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

describe('an author is told what will be sent', () => {
  test('links are all a[href] of the sanitised copy, images all that have a source', () => {
    const html = `<a href="https://a.test">1</a><a href="#x">2</a><a href="javascript:x">3</a><a name="y">4</a><a href="{{ unsubscribe_url }}">5</a>
      <img src="https://i.test/a.png" alt=""><img src="data:x" alt=""><map name="m"><area href="https://a.test"></map>`
    expect(validation({ html })).toMatchObject({ links: 3, images: 1, valid: true })
  })

  test('tokens come from subject, preheader, HTML and plain text, each once, without the unsubscribe link', () => {
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

  test('the link to leave is present when whoever reads the HTML can see it', () => {
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

  test('tokens of removed markup are in no list', () => {
    expect(validation({ html: '<p>x</p><script>{{ a }}</script><p onclick="{{ b }}">y</p>' }).tokens).toEqual([])
  })

  test.each([
    ['<script>alert(1)</script>', false],
    ['<div> <br>&nbsp;</div><style>p{color:red}</style>', false],
    ['<html><head><title>only a title</title></head><body></body></html>', false],
    ['<img src="https://i.test/a.png" alt="">', true],
    ['<p>x</p><script>alert(1)</script>', true],
  ])('%j: valid is %s, for only an empty result is not', (html, valid) => {
    expect(validation({ html }).valid).toBe(valid)
  })

  test.each([
    ['unsubscribe_link_missing', { html: '<p>x</p>' }],
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

  test('a careful mail has no warnings', () => {
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
  ])('of which %s is told', (field, over) => {
    expect(() => validation(over)).toThrow(expect.objectContaining({ code: 'invalid_argument', reason: field }))
  })

  test('that no letter meets', () => {
    expect(validation({ html: `<p>${'{{ a }}'.repeat(4_800)}${different(199)}</p>` }).tokens).toHaveLength(200)
  })
})

describe('plain text', () => {
  test('an absent or blank one is generated, a given one is kept as it is', () => {
    expect(validation({ plainText: null }).plainTextGenerated).toBe(true)
    expect(validation({ plainText: ' \n' }).plainTextGenerated).toBe(true)
    expect(validation({ plainText: 'Hi' }).plainTextGenerated).toBe(false)
  })

  test('headings keep their case and tokens stay whole', () => {
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

  test('it says what the HTML says, with entities read and links in full', () => {
    expect(
      plainText('<table><tr><td>A &amp; B</td><td><a href="https://a.test/?x=1&amp;y=2">go</a></td></tr></table>'),
    ).toBe('A & B\ngo (https://a.test/?x=1&y=2)')
  })

  test('an image says its alternative text, and a title nothing', () => {
    expect(plainText('<a href="https://a.test"><img src="https://i.test/b.png" alt="Shop &amp; save"></a>')).toBe(
      'Shop & save (https://a.test)',
    )
    expect(plainText('<p>Hi<img src="https://i.test/dot.png" alt=""></p><title>T</title>')).toBe('Hi')
    expect(plainText('<img src="https://i.test/c.png" alt="For {{ first_name }}">')).toBe('For {{ first_name }}')
  })
})
