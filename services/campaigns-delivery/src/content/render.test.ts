import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes } from 'parse5'
import { outlookReading } from '../html/conditional-comments.ts'
import { structureOf } from '../html/structure.ts'
import { compileContent, type CompiledContent, type StoredContent } from './compile.ts'
import { prepareContent } from './prepare.ts'
import { linkVariable, providerTemplate, recipientVariables, renderMessage, type MessageContent } from './render.ts'

type HtmlNode = DefaultTreeAdapterTypes.Node

const html = `<!DOCTYPE html><html><head><title>{{ title }}</title><style>p>a{color:red}</style></head><body>
<table><tr><td>{{ first_name }}<b title="{{ first_name }}">{{company}}</b>{{ company }}</td></tr>{{ city }}</table>
<pre>{{ city }}</pre><img src="https://i.test/{{ city }}/a.png?n={{ first_name }}" alt="{{ city }}">
<a href="{{ unsubscribe_url }}">out</a> <a href="https://t.test/?to={{ unsubscribe_url }}">out</a> {{ unsubscribe_url }} 100%recipient.x% %unsubscribe_url%</body></html>`

function content(over: Partial<StoredContent> = {}): StoredContent {
  const authored = {
    subject: 'For {{ first_name }} of {{ company }}',
    preheader: 'Only {{ first_name }} <&>',
    plainText: null,
    personalizationDefaults: { company: 'your team' },
  }
  return { ...prepareContent({ ...authored, html }).content, ...over }
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    '--></style></title>',
    '&lt;b&gt;',
    '\r\nBcc: all@evil.test',
    '{{ first_name }}',
  ),
  fc.constantFrom(
    '%recipient.html_company%',
    '%recipient.',
    '%',
    'recipient.x%',
    '%unsubscribe_url%',
    '\ud800',
    '\u0000',
    '../../x',
    'javascript:alert(1)',
    '\u2028',
  ),
)
const values = fc.record({
  fields: fc.dictionary(
    fc.constantFrom('first_name', 'company', 'city', 'title', 'unsubscribe_url', 'toString', '__proto__'),
    nasty,
  ),
  unsubscribeUrl: fc.constantFrom(
    'https://l.test/preferences/eyJ_a-b.c?x=1&y=%41',
    'http://127.0.0.1:8080/preferences/t',
  ),
})
const preferenceUrl = fc.constantFrom('https://l.test/preferences/', 'http://127.0.0.1:8080/p?x=1&y=%41&t=')
const preferenceToken = fc.stringMatching(/^[\w.-]{1,160}$/)

const namesOf = (compiled: CompiledContent) => [...Object.keys(recipientVariables(compiled, {})!), linkVariable]

/** Imitates the provider: one pass of plain substitution over subject, HTML and text. */
function substitute(template: MessageContent, variables: Record<string, string>): MessageContent {
  const fill = (text: string) =>
    text.replace(/%recipient\.(\w+)%/g, (_, name: string) => variables[name] ?? `(${name})`)
  return { subject: fill(template.subject), html: fill(template.html), text: fill(template.text) }
}

describe('a merge value', () => {
  const compiled = compileContent(content())
  const plain = renderMessage(compiled, {
    fields: { first_name: 'Ann', company: 'Acme', city: 'Rome', title: 'T' },
    unsubscribeUrl: 'https://l.test/p',
  })

  test('never changes the parsed element tree, whatever its value', () => {
    fc.assert(
      fc.property(values, (given) => structureOf(renderMessage(compiled, given).html) === structureOf(plain.html)),
      { numRuns: 500 },
    )
  })

  test('does not end a conditional comment and changes nothing in what Outlook reads', () => {
    const markup = '<v:rect href="{{ unsubscribe_url }}"><p title="{{ first_name }}">{{ city }}</p></v:rect>'
    const compiled = compileContent(
      content({ sanitizedHtml: `<p>{{ title }}</p><!--[if mso]>${markup}<![endif]--><b>x</b>` }),
    )
    const plain = renderMessage(compiled, { fields: {}, unsubscribeUrl: 'https://l.test/p' }).html
    fc.assert(
      fc.property(values, (given) => {
        const { html } = renderMessage(compiled, given)
        expect(structureOf(html)).toBe(structureOf(plain))
        expect(structureOf(outlookReading(html))).toBe(structureOf(outlookReading(plain)))
        expect(html.split('-->')).toHaveLength(2)
      }),
      { numRuns: 500 },
    )
    expect(structureOf(outlookReading(plain))).toContain('v:rect href')
  })

  test('is parsed back unchanged, in text and in attributes', () => {
    const given = `O'Brien & "Söhne" <b>%</b> {{ x }}`
    const message = renderMessage(compiled, {
      fields: { first_name: given, company: given, city: given },
      unsubscribeUrl: 'https://l.test/p?a=1&b=%41',
    })
    const seen = strings(message.html)
    expect(seen.filter((text) => text === given).length).toBeGreaterThanOrEqual(4)
    expect(seen).toContain(`https://i.test/${encodeURIComponent(given)}/a.png?n=${encodeURIComponent(given)}`)
    expect(seen).toContain('https://l.test/p?a=1&b=%41')
    expect(seen).toContain(`https://t.test/?to=${encodeURIComponent('https://l.test/p?a=1&b=%41')}`)
    expect(message.text).toContain(given)
    expect(message.text).toContain('https://l.test/p?a=1&b=%41')
  })

  test('cannot change the text direction of what follows in the subject', () => {
    const compiled = compileContent(content({ subject: 'Invoice for {{ first_name }}: 12.00 שלום' }))
    const { subject } = renderMessage(compiled, {
      fields: { first_name: 'A\u202e\u2066nn\u202a' },
      unsubscribeUrl: 'https://l.test/p',
    })
    expect(subject).toBe('Invoice for Ann: 12.00 שלום')
  })

  test('cannot add a header or a second line to the subject', () => {
    fc.assert(
      fc.property(values, (given) => {
        // eslint-disable-next-line no-control-regex
        expect(renderMessage(compiled, given).subject).not.toMatch(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/)
      }),
    )
    expect(renderMessage(compiled, { fields: { first_name: 'A\r\nBcc: b@x.test' }, unsubscribeUrl: 'u' }).subject).toBe(
      'For A Bcc: b@x.test of your team',
    )
  })

  test('uses the default, or nothing, when it is missing or blank; a field cannot replace the unsubscribe link', () => {
    const message = renderMessage(compiled, {
      fields: { company: '  ', unsubscribe_url: 'https://evil.test' },
      unsubscribeUrl: 'https://l.test/p',
    })
    expect(message.subject).toBe('For  of your team')
    expect(message.html).toContain('href="https://l.test/p"')
    expect(message.html + message.text).not.toContain('evil.test')
  })
})

describe("the provider's template", () => {
  test('gives exactly the message that we would have rendered', () => {
    const compiled = compileContent(content())
    fc.assert(
      fc.property(values, preferenceUrl, preferenceToken, ({ fields }, url, token) => {
        const variables = { ...recipientVariables(compiled, fields)!, [linkVariable]: token }
        expect(substitute(providerTemplate(compiled, url), variables)).toEqual(
          renderMessage(compiled, { fields, unsubscribeUrl: url + token }),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('has no marker except its variables, even if author and recipients wrote some', () => {
    const compiled = compileContent(
      content({ plainText: 'Hi {{ city }} %recipient.x% %unsubscribe_url%', subject: '%recipient.email% {{ city }}' }),
    )
    const template = providerTemplate(compiled, 'https://l.test/p/')
    const names = namesOf(compiled)
    for (const part of Object.values(template)) {
      for (const [, name] of (part as string).matchAll(/%recipient\.?(\w*)/g)) expect(names).toContain(name)
      expect(part).not.toContain('%unsubscribe_url')
    }
  })

  test('treats a value that names another variable as text, even if the provider substitutes again', () => {
    const compiled = compileContent(content())
    fc.assert(
      fc.property(values, preferenceUrl, preferenceToken, ({ fields }, url, token) => {
        const variables = { ...recipientVariables(compiled, fields)!, [linkVariable]: token }
        const once = substitute(providerTemplate(compiled, url), variables)
        expect(substitute(once, variables)).toEqual(once)
      }),
    )
  })

  test('has one variable for each pair of token and place', () => {
    expect(namesOf(compileContent(content())).toSorted().join(' ')).toBe(
      'header_company header_first_name html_city html_company html_first_name html_title preference_token ' +
        'text_city text_company text_first_name url_city url_first_name',
    )
  })
})

describe('the preheader', () => {
  test.each([
    [
      '<html><head><title>x</title></head><body class="a"><p>Hi</p></body></html>',
      /<body class="a"><div style="display:none[^"]*">P &amp; Q<\/div><p>/,
    ],
    ['<html><head></head><p>Hi</p></html>', /<\/head><div style="display:none[^"]*">P &amp; Q<\/div><p>/],
    ['<html><p>Hi</p></html>', /^<html><div style="display:none[^"]*">P &amp; Q<\/div><p>/],
    [
      '<style>p{color:red}</style><p>Hi</p>',
      /^<style>p\{color:red}<\/style><div style="display:none[^"]*">P &amp; Q<\/div><p>/,
    ],
    [
      '<html><head></head><!--[if mso]><body class="o"><![endif]--><!--[if !mso]><!--><body><!--<![endif]--><p>Hi</p></body></html>',
      /<!--\[if !mso]><!--><body><div style="display:none[^"]*">P &amp; Q<\/div><!--<!\[endif]-->/,
    ],
    ['<p>Hi</p>', /^<div style="display:none[^"]*">P &amp; Q<\/div><p>/],
  ])('is hidden at the start of the body of %j', (source, expected) => {
    const { content: stored } = prepareContent({
      subject: 's',
      html: source,
      preheader: 'P & Q',
      plainText: 't',
      personalizationDefaults: {},
    })
    expect(renderMessage(compileContent(stored), { fields: {}, unsubscribeUrl: '' }).html).toMatch(expected)
  })

  test('adds nothing when it is blank', () => {
    const stored = content({ preheader: ' ', sanitizedHtml: '<p>a</p>' })
    expect(compileContent(stored).html).toEqual(['<p>a</p>'])
  })
})

describe('the values of one recipient have a limit, counted at every occurrence and after escaping', () => {
  const fits = (sanitizedHtml: string, bio: string) =>
    recipientVariables(compileContent(content({ sanitizedHtml })), { bio }) !== undefined

  test.each([
    ['once', '<p>{{ bio }}</p>', 'a', 90_000],
    ['in many places', '<p>{{ bio }}</p>'.repeat(100), 'a', 900],
    ['escaped in text', '<p>{{ bio }}</p>', '<', 24_000],
    ['beside 20 links', `<p>{{ bio }}</p>${'<a href="{{ unsubscribe_url }}">x</a>'.repeat(20)}`, 'a', 90_000],
    ['escaped in a URL', '<img src="https://x.test/?q={{ bio }}">', '漢', 4_000],
  ])('%s', (_, html, char, fitting) => {
    expect(fits(html, char.repeat(fitting))).toBe(true)
    expect(fits(html, char.repeat(fitting * 1.2))).toBe(false)
  })
})

test('a version is split once, and 50 kB render thousands of times a second', () => {
  const compiled = compileContent(
    content({ sanitizedHtml: `<p>{{ first_name }}</p>${'<p>text</p>'.repeat(4_600)}<p>{{ company }}</p>` }),
  )
  const started = process.cpuUsage()
  for (let n = 0; n < 2_000; n++)
    renderMessage(compiled, { fields: { first_name: 'Ann' }, unsubscribeUrl: 'https://l.test/p' })
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000)
})

test.each([
  ['text', 'x{{ first_name }}', '<p>', '</p>'],
  ['an attribute', 'x{{ first_name }}', '<p title="', '"></p>'],
])('a hundred thousand tokens in one %s are split in one pass', (_, part, before, after) => {
  const source = content({ sanitizedHtml: before + part.repeat(100_000) + after })
  const started = process.cpuUsage()
  expect(compileContent(source).html).toHaveLength(200_001 + 2)
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000)
})

function strings(source: string): string[] {
  const found: string[] = []
  const visit = (node: HtmlNode): void => {
    if ('attrs' in node) found.push(...node.attrs.map(({ value }) => value))
    if ('value' in node) found.push(node.value)
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(source))
  return found
}
