import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { newSource, openContacts, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const email = () => ({ senderIdentityId: newId(), contentVersionId: newId() })
const actions = async (subjectId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((one) => one.subjectId === subjectId)
    .map(({ action }) => action)

test('confirmed opt-in is off, is turned on and changed with its email, and is turned off again', async () => {
  const { id, slug: sourceSlug, ingest, event } = await newSource(s)
  const read = async () => (await s.contacts.getSourceConfirmation(s.us, { sourceSlug })).confirmation
  expect(await read()).toBeUndefined()
  expect(await ingest(event())).toMatchObject({ status: 'accepted' })
  for (const one of [email(), email()]) {
    expect((await s.contacts.setSourceConfirmation(s.us, { sourceSlug, ...one })).confirmation).toMatchObject(one)
    expect(await read()).toMatchObject(one)
  }
  expect(await ingest(event())).toMatchObject({ reasonClass: 'confirmation_pending' })
  for (let call = 0; call < 2; call += 1)
    expect(await s.contacts.removeSourceConfirmation(s.us, { sourceSlug })).toMatchObject({ deleted: true })
  expect(await read()).toBeUndefined()
  expect(await ingest(event())).toMatchObject({ status: 'accepted' })
  expect(await actions(id)).toEqual([
    'subscription_source_created',
    ...(await actions(id)).filter((action) => action === 'source_credential_created'),
    'source_confirmation_set',
    'source_confirmation_set',
    'source_confirmation_removed',
  ])
})

test('a source of another workspace is not there', async () => {
  const { slug: sourceSlug } = await newSource(s)
  const missing = { code: 'not_found' }
  await expect(s.contacts.getSourceConfirmation(s.them, { sourceSlug })).rejects.toMatchObject(missing)
  await expect(s.contacts.setSourceConfirmation(s.them, { sourceSlug, ...email() })).rejects.toMatchObject(missing)
  await expect(s.contacts.removeSourceConfirmation(s.them, { sourceSlug })).rejects.toMatchObject(missing)
})

test('ids that are no UUIDs are refused by the name of their field', async () => {
  const { slug: sourceSlug } = await newSource(s)
  for (const [field, more] of [
    ['sender_identity_id', { senderIdentityId: 'x' }],
    ['content_version_id', { contentVersionId: 'x' }],
  ] as const) {
    const set = s.contacts.setSourceConfirmation(s.us, { sourceSlug, ...email(), ...more })
    await expect(set).rejects.toMatchObject({ reason: field })
  }
})

test('a sender of confirmation emails is in use, in its own workspace alone', async () => {
  const { slug: sourceSlug } = await newSource(s)
  const used = email()
  await s.contacts.setSourceConfirmation(s.us, { sourceSlug, ...used })
  const ask = (caller: ContactsStage['us'], senderId: string) => s.contacts.requireSenderUnused(caller, { senderId })
  await expect(ask(s.us, used.senderIdentityId)).rejects.toMatchObject({ reason: 'sender_in_use' })
  await expect(ask(s.us, used.senderIdentityId)).rejects.toThrow(sourceSlug)
  await ask(s.them, used.senderIdentityId)
  await ask(s.us, newId())
  await ask(s.us, 'x')
})
