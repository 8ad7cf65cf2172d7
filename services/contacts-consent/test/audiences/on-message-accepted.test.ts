import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MessageAcceptedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)
const accept = (contactIds: string[], audienceId: string, at: Date, workspaceId = s.ours) =>
  s.stage.publish(
    'campaigns-delivery',
    MessageAcceptedSchema,
    {
      runId: newId(),
      acceptedAt: timestampFromDate(at),
      recipients: contactIds.map((contactId) => ({ messageId: newId(), contactId, audienceId })),
    },
    { workspaceId },
  )
const handled = (eventId: string) =>
  until(async () => (await s.stage.query('select 1 from contacts.inbox where event_id = $1', [eventId])).length > 0, {
    what: 'the event to be handled',
  })
/** The membership row with the transaction that wrote it. */
const rowOf = async (contactId: string, audienceId: string) =>
  (
    await s.stage.query<{ xmin: string; last_handed_off_at: Date | null }>(
      'select xmin::text, * from contacts.memberships where contact_id = $1 and audience_id = $2',
      [contactId, audienceId],
    )
  )[0]!
const handedOff = async (contactId: string) =>
  (
    await s.stage.query<{ last_handed_off_at: Date | null }>(
      'select last_handed_off_at from contacts.memberships where contact_id = $1',
      [contactId],
    )
  )[0]!.last_handed_off_at

test('a contact is not eligible for an audience before its minimum interval has passed, for each audience separately', async () => {
  const [hourly, other] = [await s.audience(s.us, 3_600), await s.audience(s.us, 3_600)]
  const [recent, early, third] = [await s.contact(), await s.contact(), await s.contact()]
  for (const id of [recent, early, third]) await s.subscribe(id, hourly)
  await s.subscribe(recent, other)
  await accept([recent, third], hourly, ago(3_500))
  await accept([early], hourly, ago(3_700))
  await until(async () => (await handedOff(early)) !== null)
  await until(async () => (await s.reasons(recent, hourly)).length > 0)
  expect(await s.reasons(recent, hourly)).toEqual(['minimum_interval_not_elapsed'])
  expect(await s.reasons(third, hourly)).toEqual(['minimum_interval_not_elapsed'])
  expect(await s.reasons(early, hourly)).toEqual([])
  expect(await s.reasons(recent, other)).toEqual([])
})

test('an event updates only memberships of audiences with a minimum interval', async () => {
  const [contact, free, hourly] = [await s.contact(), await s.audience(), await s.audience(s.us, 3_600)]
  for (const audience of [free, hourly]) await s.subscribe(contact, audience)
  const before = { free: await rowOf(contact, free), hourly: await rowOf(contact, hourly) }
  const at = ago(1)
  for (const audience of [free, hourly]) await handled(await accept([contact], audience, at))
  expect(await rowOf(contact, free)).toEqual(before.free)
  const written = await rowOf(contact, hourly)
  expect(written.last_handed_off_at).toEqual(at)
  expect(written.xmin).not.toBe(before.hourly.xmin)
})

test('the latest hand-off counts, in any order of events, also with two hand-offs in one event', async () => {
  const [contact, audience] = [await s.contact(), await s.audience(s.us, 60)]
  await s.subscribe(contact, audience)
  const latest = ago(10)
  await accept([contact, contact], audience, latest)
  await until(async () => (await handedOff(contact)) !== null)
  await accept([contact], audience, ago(5_000))
  const marker = await s.contact()
  await s.subscribe(marker, audience)
  await accept([marker, 'no id', newId()], audience, ago(1))
  await until(async () => (await handedOff(marker)) !== null)
  expect((await handedOff(contact))!.getTime()).toBe(latest.getTime())
})

test("an event of another tenant does not change this tenant's memberships", async () => {
  const [contact, audience] = [await s.contact(), await s.audience(s.us, 60)]
  await s.subscribe(contact, audience)
  await accept([contact], audience, ago(1), s.theirs)
  const marker = await s.contact()
  await s.subscribe(marker, audience)
  await accept([marker], audience, ago(1))
  await until(async () => (await handedOff(marker)) !== null)
  expect(await handedOff(contact)).toBeNull()
})
