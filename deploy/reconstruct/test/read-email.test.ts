import { afterEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { replaceTokens, anyOf, tokenNamed } from '../src/emails/replace-tokens.ts'
import { noMapping, parseMapping } from '../src/mapping.ts'
import { planOf } from '../src/plan.ts'
import { readExport } from '../src/read-export.ts'
import { copyOf, exportOf, removeFolders } from './export-folder.ts'

afterEach(removeFolders)

const emailsOf = async (folder: string, mapping: object = {}) => {
  const { emails } = await planOf(
    await readExport(folder),
    parseMapping(Buffer.from(JSON.stringify(mapping)), 'm.json'),
  )
  return emails.map(({ email }) => email)
}

test('an HTML file and an RFC 5322 message are read with the texts and tokens of the manifest', async () => {
  const [welcome, quays] = await emailsOf(copyOf('harbour-mail'))
  expect(welcome).toMatchObject({
    subject: 'Welcome aboard, {{ first_name }}',
    preheader: 'Your first visit',
    html: expect.stringContaining('<a href="{{ unsubscribe_url }}">Unsubscribe</a>'),
    plainText: expect.stringContaining('Unsubscribe: {{ unsubscribe_url }}'),
    personalizationDefaults: { first_name: 'friend' },
    tokensMapped: { '%FNAME%': 'first_name', '%UNSUB%': 'unsubscribe_url' },
    notMapped: [],
  })
  expect(quays).toMatchObject({
    subject: 'Three quays worth a walk – a tour',
    html: expect.stringContaining('until eight o’clock in summer'),
    plainText: expect.stringContaining('Hello {{ first_name }}'),
  })
})

test('tokens of Mautic become tokens, with their defaults, and unknown ones stay and are reported', async () => {
  const [reminder, after] = await emailsOf(copyOf('mautic'))
  expect(reminder).toMatchObject({
    subject: 'Your course starts soon, {{ first_name }}',
    preheader: 'What to bring, and how to find us',
    personalizationDefaults: { first_name: 'there' },
    notMapped: ['{dynamiccontent="Room"}', '{webview_url}', '{tracking_pixel}'],
  })
  expect(reminder!.html).toContain('<a href="{{ unsubscribe_url }}">Unsubscribe</a>')
  expect(reminder!.html).toContain('{tracking_pixel}')
  expect(after!.plainText).toBeUndefined()
})

test('a field of Mautic that the mapping names becomes its token, and no other does', async () => {
  const folder = () =>
    exportOf(
      {
        'e.json': JSON.stringify({
          email: { id: 1, subject: 'A', customHtml: '{contactfield=city} {contactfield=constructor}' },
        }),
      },
      { emails: [{ object_id: 1, name: 'A', format: 'mautic.email', file: 'e.json' }] },
    )
  const [mappedEmail] = await emailsOf(folder(), { fields: { city: 'custom.home_city' } })
  expect(mappedEmail).toMatchObject({
    html: '{{ home_city }} {contactfield=constructor}',
    notMapped: ['{contactfield=constructor}'],
  })
  const [plain] = await emailsOf(folder())
  expect(plain!.notMapped).toEqual(['{contactfield=city}', '{contactfield=constructor}'])
})

test('attachments of a message are left out and reported', async () => {
  const message = [
    'Subject: A',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<p>A</p>',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Disposition: attachment; filename=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'QUJD',
    '--b--',
  ].join('\r\n')
  const folder = exportOf({ 'a.eml': message }, { emails: [{ object_id: 1, name: 'A', format: 'eml', file: 'a.eml' }] })
  const [email] = await emailsOf(folder)
  expect(email!.notMapped).toEqual(['the attachment a.pdf (application/pdf) is left out'])
})

test.each([
  ['without HTML', { 'a.eml': 'Subject: A\r\n\r\nText' }, { format: 'eml', file: 'a.eml' }, 'has no HTML'],
  ['without a subject', { 'a.html': '<p>A</p>' }, { format: 'html', file: 'a.html' }, 'has no a subject'],
  ['of another shape', { 'a.json': '{"id":1}' }, { format: 'mautic.email', file: 'a.json' }, 'documented format'],
])('an email %s stops the run before anything is written', async (_, files, entry, message) => {
  const folder = exportOf(files, { emails: [{ object_id: 1, name: 'A', ...entry }] })
  await expect(emailsOf(folder)).rejects.toMatchObject({ kind: 'export', message: expect.stringContaining(message) })
})

test('replaced text is not read again, whatever the tokens contain', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 5 }),
      fc.string(),
      (tokens, text) => {
        const read = replaceTokens(
          { subject: text, html: text, preheader: undefined, plainText: undefined },
          anyOf(tokens),
          () => tokenNamed('first_name'),
        )
        // the same replacement by hand: at each place the longest token wins
        let expected = ''
        for (let at = 0; at < text.length;) {
          const found = tokens.filter((token) => text.startsWith(token, at)).toSorted((a, b) => b.length - a.length)[0]
          expected += found === undefined ? text[at] : '{{ first_name }}'
          at += found?.length ?? 1
        }
        expect(read.html).toBe(expected)
      },
    ),
  )
})

test('a mapping of a wrong shape names its field', () => {
  expect(noMapping.tags).toEqual({})
  for (const wrong of [{ audiences: { a: 'no id' } }, { senders: ['a'] }, { others: {} }])
    expect(() => parseMapping(Buffer.from(JSON.stringify(wrong)), 'm.json')).toThrow(/m\.json does not have/)
})
