import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ConsentWithdrawnSchema, SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const unsubscribe = (contactId: string, audienceId = audience) =>
  s.contacts.unsubscribeContact(s.us, { contactId, audienceId })

test('a withdrawn contact is never eligible again without a resolved suppression and a new consent', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  expect(await unsubscribe(contact)).toMatchObject({ unsubscribed: true, scope: 'audience' })
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  const [suppression] = await s.suppressions(contact)
  expect(suppression).toMatchObject({ scope: 'audience', reason: 'unsubscribe', audience_id: audience })
  await s.resolve(suppression!.id)
  expect(await s.reasons(contact, audience)).toEqual(['consent_withdrawn', 'not_subscribed'])
  await s.subscribe(contact, audience)
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('a repeated unsubscribe appends to the record, adds no suppression and publishes nothing', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await unsubscribe(contact)
  const withdrawn = (await s.announced('consent_withdrawn')).map(({ payload }) =>
    fromBinary(ConsentWithdrawnSchema, payload),
  )
  const added = (await s.announced('suppression_added')).map(({ payload }) =>
    fromBinary(SuppressionAddedSchema, payload),
  )
  const [suppression] = await s.suppressions(contact)
  expect(withdrawn.at(-1)).toMatchObject({ contactId: contact, audienceId: audience, scope: 'audience' })
  expect(added.at(-1)).toMatchObject({
    suppressionId: suppression!.id,
    contactId: contact,
    reason: 'unsubscribe',
    audienceId: audience,
  })

  await Promise.all([unsubscribe(contact), unsubscribe(contact)])
  expect(await s.suppressions(contact)).toHaveLength(1)
  expect((await s.events(contact)).map((event) => event['kind'])).toEqual([
    'granted',
    'withdrawn',
    'withdrawn',
    'withdrawn',
  ])
  expect(await s.announced('consent_withdrawn')).toHaveLength(withdrawn.length)
  expect(await s.announced('suppression_added')).toHaveLength(added.length)
})

test('a contact without a membership can withdraw, and other audiences do not change', async () => {
  const contact = await s.contact()
  const other = await s.audience()
  await s.subscribe(contact, other)
  await unsubscribe(contact)
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  expect(await s.reasons(contact, other)).toEqual([])
})

test('an unsubscribe from an archived audience works', async () => {
  const archived = await s.audience()
  const contact = await s.contact()
  await s.subscribe(contact, archived)
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [archived])
  await unsubscribe(contact, archived)
  expect(await s.reasons(contact, archived)).toEqual([
    'audience_archived',
    'suppressed_audience',
    'consent_withdrawn',
    'not_subscribed',
  ])
})

test("another tenant's audience and contact answer not_found", async () => {
  const contact = await s.contact()
  for (const id of [await s.audience(s.them), unknownId, 'x']) {
    await expect(unsubscribe(contact, id)).rejects.toMatchObject({ code: 'not_found', reason: 'audience' })
  }
  for (const id of [await s.contact(s.them), unknownId, 'x']) {
    await expect(unsubscribe(id)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'contact_id' })
  }
})

test('an empty source is refused with the name of the field', async () => {
  const ask = { contactId: unknownId, audienceId: audience, source: '' }
  await expect(s.contacts.unsubscribeContact(s.us, ask)).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'source',
  })
})
