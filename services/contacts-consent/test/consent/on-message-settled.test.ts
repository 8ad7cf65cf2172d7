import { fromBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MessageSettledSchema, SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const at = new Date('2026-03-01T12:00:00Z')
const settled = (facts: [contactId: string, fact: string, audienceId?: string][]) => ({
  messages: facts.map(([contactId, fact, audienceId = audience]) => ({
    messageId: newId(),
    runId: newId(),
    contactId,
    audienceId,
    fact,
    occurredAt: timestampFromDate(at),
    providerEventId: newId(),
  })),
})
const settle = (facts: Parameters<typeof settled>[0], meta: { workspaceId?: string; id?: string } = {}) =>
  s.stage.publish('campaigns-delivery', MessageSettledSchema, settled(facts), { workspaceId: s.ours, ...meta })
const subscribed = async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  return contact
}
/** Everything published before has been handled once this answers. */
async function settledAll() {
  const marker = await subscribed()
  await settle([[marker, 'complained']])
  await until(async () => (await s.suppressions(marker)).length > 0)
}

test('a hard bounce and a complaint suppress the contact in the workspace, an unsubscribe in its audience; other results change nothing', async () => {
  const [bounced, complained, left, fine] = [
    await subscribed(),
    await subscribed(),
    await subscribed(),
    await subscribed(),
  ]
  await settle([
    [bounced, 'hard_bounced'],
    [complained, 'delivered'],
    [complained, 'complained'],
    [left, 'unsubscribed'],
    ...['delivered', 'soft_failed', 'opened', 'clicked'].map((fact): [string, string] => [fine, fact]),
  ])
  await settledAll()
  expect(await s.reasons(bounced, audience)).toEqual(['suppressed_workspace'])
  expect(await s.reasons(complained, audience)).toEqual(['suppressed_workspace'])
  expect(await s.reasons(left, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  expect(await s.reasons(fine, audience)).toEqual([])
  expect(await s.suppressions(bounced)).toMatchObject([{ scope: 'workspace', reason: 'hard_bounce' }])
  expect(await s.suppressions(complained)).toMatchObject([{ scope: 'workspace', reason: 'complaint' }])
  expect((await s.events(left)).at(-1)).toMatchObject({
    kind: 'withdrawn',
    source: 'provider_event',
    actor: 'provider',
    occurred_at: at,
    evidence: { provider_event_id: expect.any(String), message_id: expect.any(String) },
  })
  const announced = (await s.announced('suppression_added')).map(({ payload }) =>
    fromBinary(SuppressionAddedSchema, payload),
  )
  expect(announced).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ contactId: bounced, scope: 'workspace', reason: 'hard_bounce' }),
    ]),
  )
})

test('a repeated event and a repeated fact leave one suppression', async () => {
  const contact = await subscribed()
  const id = newId()
  await settle(
    [
      [contact, 'hard_bounced'],
      [contact, 'hard_bounced'],
    ],
    { id },
  )
  await until(async () => (await s.suppressions(contact)).length > 0)
  const events = (await s.events(contact)).length
  await settle([[contact, 'hard_bounced']], { id })
  await settledAll()
  expect((await s.events(contact)).length).toBe(events)
  await Promise.all(
    Array.from({ length: 5 }, () =>
      settle([
        [contact, 'hard_bounced'],
        [contact, 'unsubscribed'],
      ]),
    ),
  )
  await settledAll()
  expect((await s.suppressions(contact)).map(({ scope, reason }) => `${scope} ${reason}`).toSorted()).toEqual([
    'audience unsubscribe',
    'workspace hard_bounce',
  ])
})

test('facts in any order give the same result', async () => {
  const [one, other] = [await subscribed(), await subscribed()]
  await settle([
    [one, 'unsubscribed'],
    [one, 'complained'],
    [one, 'hard_bounced'],
  ])
  await settle([[other, 'hard_bounced']])
  await settle([[other, 'complained']])
  await settle([[other, 'unsubscribed']])
  await settledAll()
  expect(await s.reasons(one, audience)).toEqual(await s.reasons(other, audience))
})

test('unknown, foreign and malformed ids are skipped, and the other messages are handled', async () => {
  const [contact, foreign] = [await subscribed(), await s.contact(s.them)]
  const foreignAudience = await s.audience(s.them)
  await settle([
    [newId(), 'hard_bounced'],
    ['x', 'complained'],
    [foreign, 'hard_bounced'],
    [contact, 'unsubscribed', foreignAudience],
    [contact, 'unsubscribed', ''],
    [contact, 'complained'],
  ])
  await settledAll()
  expect(await s.suppressions(foreign)).toEqual([])
  expect(await s.suppressions(contact)).toMatchObject([{ reason: 'complaint' }])
  expect(await s.stage.query('select * from contacts.dead_letters')).toEqual([])
})
