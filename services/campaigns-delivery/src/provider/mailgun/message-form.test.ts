import { expect, test } from '@jest/globals'
import { formBody, prepareForm } from './message-form.ts'

const common = {
  domain: 'mail.acme.test',
  fromName: 'Acme "News"\r\nBcc: all@acme.test',
  fromAddress: 'news@mail.acme.test',
  replyTo: 'hello@acme.test',
  subject: 'Hello %recipient.header_first_name%',
  html: '<p>Hello %recipient.html_first_name%</p>',
  text: 'Hello %recipient.text_first_name%',
  oneClickUrl: 'https://x.test/one-click/',
}
const person = (n: number) => ({
  messageId: `id-${n}`,
  email: `p${n}@example.org`,
  preferenceToken: `k1.${n}`,
  variables: { html_first_name: `N&amp;${n}` },
})

async function read(body: Buffer, boundary: string) {
  return new Response(new Uint8Array(body), {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }).formData()
}

test('one call carries a batch, each recipient with their own id, link and values', async () => {
  const form = prepareForm(common)
  const fields = await read(formBody(form, [person(1), person(2)]), form.boundary)
  expect(fields.getAll('to')).toEqual(['p1@example.org, p2@example.org'])
  expect(JSON.parse(fields.get('recipient-variables') as string)).toEqual({
    'p1@example.org': { html_first_name: 'N&amp;1', message_id: 'id-1', preference_token: 'k1.1' },
    'p2@example.org': { html_first_name: 'N&amp;2', message_id: 'id-2', preference_token: 'k1.2' },
  })
  expect(fields.get('v:message_id')).toBe('%recipient.message_id%')
  expect(fields.get('h:List-Unsubscribe')).toBe('<https://x.test/one-click/%recipient.preference_token%>')
  expect(fields.get('h:List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
  expect(fields.get('h:Reply-To')).toBe('hello@acme.test')
  expect(fields.get('html')).toBe(common.html)
})

test('a recipient with a trace of their own gets it with their events, and the others get that of the call', async () => {
  const form = prepareForm(common)
  const recipients = [{ ...person(1), traceparent: '00-own-1-01' }, person(2)]
  const fields = await read(formBody(form, recipients, '00-call-1-01'), form.boundary)
  expect(fields.getAll('v:traceparent')).toEqual(['%recipient.traceparent%'])
  expect(JSON.parse(fields.get('recipient-variables') as string)).toMatchObject({
    'p1@example.org': { traceparent: '00-own-1-01' },
    'p2@example.org': { traceparent: '00-call-1-01' },
  })
})

test('without own traces, the call has one trace, or none', async () => {
  const form = prepareForm(common)
  const traced = await read(formBody(form, [person(1)], '00-call-1-01'), form.boundary)
  expect(traced.getAll('v:traceparent')).toEqual(['00-call-1-01'])
  expect(traced.get('recipient-variables')).not.toContain('traceparent')
  const untraced = await read(formBody(form, [person(1)]), form.boundary)
  expect(untraced.has('v:traceparent')).toBe(false)
})

test('a display name cannot add a header or end its quotes', async () => {
  const form = prepareForm(common)
  const fields = await read(formBody(form, [person(1)]), form.boundary)
  expect(fields.get('from')).toBe('"Acme  News Bcc: all@acme.test" <news@mail.acme.test>')
})

test('a call with one recipient shares its fixed part with every other call of the run', () => {
  const form = prepareForm(common)
  const [one, two] = [formBody(form, [person(1)]), formBody(form, [person(2)])]
  expect(one.subarray(0, form.head.length).equals(two.subarray(0, form.head.length))).toBe(true)
})
