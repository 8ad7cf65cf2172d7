import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { ConsentGrantedSchema, ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { answering, openReceiver, taking, type Receiver } from './webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
let rig: DeliveryStage
let receiver: Receiver
let audienceId: string
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
  receiver = await openReceiver(secret)
  await set()
  audienceId = await rig.audience()
})
afterEach(async () => {
  receiver.behave(taking)
  expect(receiver.refused).toEqual([])
})
afterAll(async () => {
  await rig.close()
  await receiver.close()
})

const set = (caller = rig.us, url = receiver.url) =>
  rig.campaigns.setCampaignWebhook(caller, { campaignWebhookUrl: url, campaignWebhookSecret: secret })
const choose = (enabled: boolean, caller = rig.us) => rig.campaigns.setCampaignWebhookPersonEvents(caller, { enabled })
const isChosen = async (caller = rig.us) => (await rig.campaigns.getCampaignWebhookPersonEvents(caller, {})).enabled
const otherWorkspace = () => rig.stage.caller({ workspaceId: newId() })
const person = (behaviour = 'plain') => rig.subscriber(audienceId, `${newId()}+${behaviour}@example.org`)
const leave = (contactId: string) => rig.contacts.unsubscribeContact(rig.us, { contactId, audienceId })

const requestsAbout = (contactId: string, at = receiver) =>
  at.received.filter(({ verified }) => verified.data['contact_id'] === contactId)
/** What the receiver has been told about a contact, by type and consent. */
const told = (contactId: string, at = receiver) =>
  requestsAbout(contactId, at)
    .map(({ verified: { type, data } }) => (typeof data['consent'] === 'string' ? `${type} ${data['consent']}` : type))
    .toSorted()
const isTold = (contactId: string, what: string) =>
  until(async () => told(contactId).includes(what), { what: `${what} about ${contactId}` })
const eventAbout = async (contactId: string, type: string) => {
  await isTold(contactId, type)
  return requestsAbout(contactId).find(({ verified }) => verified.type === type)!
}
/** The deliveries about a contact that were ever owed. */
const owed = (contactId: string) =>
  rig.stage.query<{ id: string; type: string }>(
    `select id, type from campaigns.campaign_webhook_deliveries where position($1 in body) > 0`,
    [contactId],
  )

/** Publishes a change of consent as contacts-consent does. Each consumer handles its events in the order of publishing. */
const granted = (contactId: string, more: { workspaceId?: string; id?: string } = {}) =>
  rig.stage.publish(
    'contacts-consent',
    ConsentGrantedSchema,
    { contactId, audienceId, consentEventId: newId() },
    { workspaceId: rig.workspaceId, ...more },
  )
const withdrawn = (contactId: string) =>
  rig.stage.publish(
    'contacts-consent',
    ConsentWithdrawnSchema,
    { contactId, audienceId, scope: 'audience' },
    { workspaceId: rig.workspaceId },
  )
/** Waits until this service has handled all changes of consent that were published before. */
async function handled() {
  const [last, gone] = [newId(), newId()]
  await rig.stage.publish(
    'contacts-consent',
    ConsentGrantedSchema,
    { contactId: newId(), audienceId, consentEventId: newId() },
    { workspaceId: rig.workspaceId, id: last },
  )
  await rig.stage.publish(
    'contacts-consent',
    ConsentWithdrawnSchema,
    { contactId: newId(), audienceId, scope: 'audience' },
    { workspaceId: rig.workspaceId, id: gone },
  )
  await until(
    async () => {
      const rows = await rig.stage.query('select 1 from campaigns.inbox where event_id = any($1::uuid[])', [
        [last, gone],
      ])
      return rows.length === 2
    },
    { what: 'the changes of consent' },
  )
}

/** Sends a run to this contact. */
async function run(contactId: string) {
  const { campaignId } = await rig.draft(audienceId)
  const { id } = await rig.schedule(campaignId)
  const [message] = await until(
    async () => {
      const rows = await rig.stage.query<{ id: string }>(
        'select id from campaigns.run_recipients where run_id = $1 and contact_id = $2',
        [id, contactId],
      )
      return rows.length > 0 && rows
    },
    { what: 'the message of the run' },
  )
  return { runId: id, messageId: message!.id }
}

test('events about people are off until a user turns them on, and off again when turned off', async () => {
  expect(await isChosen()).toBe(false)
  const silent = newId()
  await granted(silent)
  await withdrawn(silent)
  await handled()
  expect(await choose(true)).toMatchObject({ enabled: true })
  expect(await isChosen()).toBe(true)
  const heard = newId()
  await granted(heard)
  await isTold(heard, 'person.consent_changed granted')
  expect(await choose(false)).toMatchObject({ enabled: false })
  expect(await isChosen()).toBe(false)
  const late = newId()
  await granted(late)
  await withdrawn(late)
  await handled()
  expect([await owed(silent), await owed(late)]).toEqual([[], []])
  expect(await owed(heard)).toHaveLength(1)
})

test('a contact who subscribes and leaves is reported by ids, signed, without an address', async () => {
  await choose(true)
  const contactId = await person()
  await isTold(contactId, 'person.consent_changed granted')
  const [{ verified }] = requestsAbout(contactId) as [(typeof receiver.received)[number]]
  expect(verified).toEqual({
    type: 'person.consent_changed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      contact_id: contactId,
      audience_id: audienceId,
      scope: 'audience',
      consent: 'granted',
      consent_event_id: expect.any(String),
    },
  })
  await leave(contactId)
  expect((await eventAbout(contactId, 'person.unsubscribed')).verified.data).toEqual({
    contact_id: contactId,
    audience_id: audienceId,
    scope: 'audience',
  })
  await isTold(contactId, 'person.consent_changed withdrawn')
  await leave(contactId)
  await handled()
  expect(await owed(contactId)).toHaveLength(3)
  for (const { body } of requestsAbout(contactId)) expect(body).not.toContain('@')
})

test('a withdrawal from the whole workspace has no audience', async () => {
  await choose(true)
  const contactId = newId()
  await rig.stage.publish(
    'contacts-consent',
    ConsentWithdrawnSchema,
    { contactId, scope: 'workspace' },
    { workspaceId: rig.workspaceId },
  )
  const { verified } = await eventAbout(contactId, 'person.unsubscribed')
  expect(verified.data).toEqual({ contact_id: contactId, audience_id: null, scope: 'workspace' })
})

test.each([
  ['hardbounce', 'person.bounced'],
  ['complain', 'person.complained'],
])('a recipient whose address is of the kind +%s is reported as %s, once', async (behaviour, type) => {
  await choose(true)
  const contactId = await person(behaviour)
  const { runId, messageId } = await run(contactId)
  const { verified, body } = await eventAbout(contactId, type)
  expect(verified.data).toEqual({
    contact_id: contactId,
    audience_id: audienceId,
    message_id: messageId,
    campaign_run_id: runId,
    automation_id: null,
  })
  expect(body).not.toContain('@')
  expect((await owed(contactId)).filter((one) => one.type === type)).toHaveLength(1)
  const { deliveries } = await rig.campaigns.listCampaignWebhookDeliveries(rig.us, {})
  const listed = deliveries.find((one) => one.type === type)!
  expect(listed.campaignRunId).toBeUndefined()
})

test('a delivery that the receiver refuses is retried with the same id and body', async () => {
  await choose(true)
  receiver.behave(answering(503, { 'retry-after': '3600' }))
  const contactId = newId()
  await granted(contactId)
  await isTold(contactId, 'person.consent_changed granted')
  const { id } = (await owed(contactId))[0]!
  const attempts = async () => {
    const { deliveries } = await rig.campaigns.listCampaignWebhookDeliveries(rig.us, {})
    return deliveries.find((one) => one.id === id)!
  }
  await until(async () => (await attempts()).attempts.length === 1, { what: 'the refused attempt' })
  expect(await attempts()).toMatchObject({ state: 'pending', attempts: [{ error: 'status_503' }] })
  receiver.behave(taking)
  await rig.stage.query('update campaigns.campaign_webhook_deliveries set next_attempt_at = now() where id = $1', [id])
  await until(async () => (await attempts()).state === 'delivered', { what: 'the accepted attempt' })
  const [first, second, ...more] = requestsAbout(contactId)
  expect(more).toEqual([])
  expect([first!.id, first!.body]).toEqual([second!.id, second!.body])
})

test('another workspace hears nothing, whatever it chose', async () => {
  await choose(true)
  const elsewhere = await openReceiver(secret)
  const them = otherWorkspace()
  await set(them, elsewhere.url)
  await choose(true, them)
  const contactId = newId()
  await granted(contactId)
  await withdrawn(contactId)
  await isTold(contactId, 'person.unsubscribed')
  expect(told(contactId, elsewhere)).toEqual([])
  expect((await rig.campaigns.listCampaignWebhookDeliveries(them, {})).deliveries).toEqual([])
  await choose(false, them)
  expect([await isChosen(), await isChosen(them)]).toEqual([true, false])
  await elsewhere.close()
})

test('nothing about an erased contact is owed any more, and what waits is dropped', async () => {
  await choose(true)
  const [contactId, other] = [await person(), await person()]
  await isTold(contactId, 'person.consent_changed granted')
  await isTold(other, 'person.consent_changed granted')
  receiver.behave(answering(500))
  await Promise.all([granted(contactId), granted(other)])
  await handled()
  const waiting = (about: string) =>
    rig.stage.query(
      `select state, failure_reason from campaigns.campaign_webhook_deliveries where position($1 in body) > 0 and state <> 'delivered'`,
      [about],
    )
  await rig.erased(contactId)
  await until(async () => (await waiting(contactId)).every(({ state }) => state === 'failed'))
  expect(await waiting(contactId)).toEqual([{ state: 'failed', failure_reason: 'contact_erased' }])
  expect(await waiting(other)).toMatchObject([{ state: 'pending' }])
  receiver.behave(taking)
  const before = await owed(contactId)
  await granted(contactId)
  await withdrawn(contactId)
  await handled()
  expect(await owed(contactId)).toEqual(before)
})

test('an event that is published twice is owed once', async () => {
  await choose(true)
  const [contactId, id] = [newId(), newId()]
  await granted(contactId, { id })
  await granted(contactId, { id })
  await handled()
  expect(await owed(contactId)).toHaveLength(1)
})

test('a choice before the webhook is set holds, and a workspace without a webhook is owed nothing', async () => {
  const workspaceId = newId()
  const them = rig.stage.caller({ workspaceId })
  await choose(true, them)
  const early = newId()
  const marker = newId()
  await granted(early, { workspaceId, id: marker })
  await until(
    async () => (await rig.stage.query('select 1 from campaigns.inbox where event_id = $1', [marker])).length === 1,
    { what: 'the change of consent' },
  )
  await set(them)
  expect(await isChosen(them)).toBe(true)
  const later = newId()
  await granted(later, { workspaceId })
  await isTold(later, 'person.consent_changed granted')
  expect(await owed(early)).toEqual([])
})

test('the choice is an entry of the audit log, and setting the webhook again keeps it', async () => {
  await choose(true)
  await set()
  expect(await isChosen()).toBe(true)
  const [entry] = await rig.stage.query(
    `select 1 from campaigns.outbox where event = 'audit_recorded'
        and position('campaign_webhook_person_events_set'::bytea in payload) > 0 limit 1`,
  )
  expect(entry).toBeDefined()
})
