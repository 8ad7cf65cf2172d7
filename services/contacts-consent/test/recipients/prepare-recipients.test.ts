import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const prepare = async (pairs: [string, string][]) =>
  (
    await s.contacts.prepareRecipients(s.us, {
      recipients: pairs.map(([contactId, audienceId]) => ({ contactId, audienceId })),
      tokens: ['email', 'first_name', 'country_code'],
    })
  ).recipients

test('eligible recipients have an address, merge fields and working links; the others have only reasons; all in the requested order', async () => {
  const audience = await s.audience()
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'Ada@Münster.example',
    source: 'test',
    firstName: 'Ada',
    countryCode: 'DE',
  })
  const ada = contact!.id
  await s.subscribe(ada, audience)
  const never = await s.contact()
  const foreign = await s.contact(s.them)
  const answers = await prepare([
    [never, audience],
    [ada, audience],
    [foreign, audience],
    [ada, unknownId],
  ])
  expect(answers.map(({ contactId, reasons }) => [contactId, reasons])).toEqual([
    [never, ['consent_missing', 'not_subscribed']],
    [ada, []],
    [foreign, ['contact_missing', 'consent_missing', 'not_subscribed']],
    [ada, ['audience_archived', 'consent_missing', 'not_subscribed']],
  ])
  expect(answers[0]).toMatchObject({ email: '', mergeFields: {}, preferenceToken: '' })
  expect(answers[1]).toMatchObject({
    email: 'Ada@xn--mnster-3ya.example',
    mergeFields: { email: 'Ada@Münster.example', first_name: 'Ada', country_code: 'DE' },
    preferenceToken: expect.stringMatching(/^k1\.[\w.-]+$/),
  })
  const token = answers[1]!.preferenceToken
  await s.contacts.usePreferenceLink(s.stage.caller({}), { token, via: 'one_click' })
  expect((await prepare([[ada, audience]]))[0]!.reasons).toEqual([
    'suppressed_audience',
    'consent_withdrawn',
    'not_subscribed',
  ])
})

test('each eligible recipient has the minimum interval of the requested audience, 0 for none', async () => {
  const [contact, hourly, free] = [await s.contact(), await s.audience(s.us, 3_600), await s.audience()]
  for (const audience of [hourly, free]) await s.subscribe(contact, audience)
  const answers = await prepare([
    [contact, hourly],
    [contact, free],
    [await s.contact(), hourly],
    [contact, unknownId],
  ])
  expect(answers.map((one) => [one.reasons.length === 0, one.minimumIntervalSeconds])).toEqual([
    [true, 3_600],
    [true, 0],
    [false, 0],
    [false, 0],
  ])
})

test('an empty request has an empty answer; a thousand recipients are accepted, more are refused', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  expect(await prepare([])).toEqual([])
  const thousand = Array.from({ length: 1_000 }, (): [string, string] => [contact, audience])
  expect((await prepare(thousand)).every((recipient) => recipient.reasons.length === 0)).toBe(true)
  await expect(prepare([...thousand, [contact, audience]])).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'recipients',
  })
  await expect(prepare([['x', audience]])).rejects.toMatchObject({ code: 'invalid_argument', reason: 'contact_id' })
})
