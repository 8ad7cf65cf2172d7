import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'
import { addAudience, automationSteps, removeAudience } from './steps-stage.ts'

let s: ContactsStage
let a: ReturnType<typeof automationSteps>
let audience: string
beforeAll(async () => {
  s = await openContacts()
  a = automationSteps(s)
  audience = await s.audience()
})
afterAll(() => s.close())

const triggers = async () => (await s.announced('audience_subscribed')).length

test('a contact joins an audience with consent evidence that names the automation, and fires no trigger', async () => {
  const contact = await s.contact()
  const joined = await s.audience()
  const before = await triggers()
  const step = a.step(contact, addAudience(joined))
  expect(await a.apply([step])).toEqual(['applied'])
  expect(await s.reasons(contact, joined)).toEqual([])
  expect(await s.events(contact)).toMatchObject([
    {
      kind: 'granted',
      scope: 'audience',
      audience_id: joined,
      source: 'welcome series',
      source_application: 'automation',
      wording_version: 'v7',
      evidence: {
        automation_id: a.automationId,
        enrollment_id: a.enrollmentId,
        step_id: step.stepId,
        wording_version: 'v7',
        source: 'welcome series',
      },
    },
  ])
  expect(await triggers()).toBe(before)
  const members = async () => (await s.contacts.getAudience(s.us, { audienceId: joined })).audience!.activeMemberCount
  expect(await members()).toBe(1)
  expect(await a.one(contact, addAudience(joined))).toBe('unchanged')
  expect(await s.events(contact)).toHaveLength(1)

  expect(await a.one(contact, removeAudience(joined))).toBe('applied')
  expect(await s.reasons(contact, joined)).toEqual(['not_subscribed'])
  expect(await members()).toBe(0)
  expect(await s.events(contact)).toHaveLength(1)
  expect(await s.suppressions(contact)).toEqual([])
  expect(await a.one(contact, removeAudience(joined))).toBe('unchanged')

  expect(await a.one(contact, addAudience(joined))).toBe('applied')
  expect(await s.reasons(contact, joined)).toEqual([])
  expect(await s.events(contact)).toHaveLength(2)
})

test('a contact that joins and leaves in one call has its consent on record and is no member', async () => {
  const contact = await s.contact()
  const steps = [addAudience(audience), removeAudience(audience)].map((effect) => a.step(contact, effect))
  expect(await a.apply(steps)).toEqual(['applied', 'applied'])
  expect(await s.events(contact)).toHaveLength(1)
  expect(await s.reasons(contact, audience)).toEqual(['not_subscribed'])
})

test('each consent is announced as given, once, and a refused or repeated step announces none', async () => {
  const [contact, blocked, joined] = [await s.contact(), await s.contact(), await s.audience()]
  await s.contacts.suppressContact(s.us, { contactId: blocked, scope: 'workspace', reason: 'manual' })
  const step = a.step(contact, addAudience(joined))
  for (let n = 0; n < 2; n += 1) await a.apply([step, a.step(blocked, addAudience(joined))])
  expect(await a.one(contact, removeAudience(joined))).toBe('applied')
  const granted = (await s.announced('consent_granted'))
    .map(({ payload }) => fromBinary(ConsentGrantedSchema, payload))
    .filter(({ audienceId }) => audienceId === joined)
  const [consent] = await s.events(contact)
  expect(granted).toMatchObject([{ contactId: contact, consentEventId: consent!['id'] }])
})

test('a suppression of any scope refuses a membership and stays unresolved', async () => {
  for (const scope of ['audience', 'workspace', 'platform'] as const) {
    const contact = await s.contact()
    const audienceId = scope === 'audience' ? { audienceId: audience } : {}
    const owner = s.as(s.ours, { platformRole: 'owner' })
    await s.contacts.suppressContact(owner, { contactId: contact, scope, reason: 'manual', ...audienceId })
    expect(await a.one(contact, addAudience(audience))).toBe(`refused suppressed_${scope}`)
    expect(await s.events(contact)).toHaveLength(1)
    expect((await s.suppressions(contact)).map(({ resolved_at }) => resolved_at)).toEqual([null])
    // Only the suppressed audience refuses.
    if (scope === 'audience') expect(await a.one(contact, addAudience(await s.audience()))).toBe('applied')
  }
})

test('an automation does not bring back a person who left, also after the suppression is resolved', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience })
  expect(await a.one(contact, addAudience(audience))).toBe('refused suppressed_audience,consent_withdrawn')
  for (const { id } of await s.suppressions(contact)) await s.resolve(id)
  expect(await a.one(contact, addAudience(audience))).toBe('refused consent_withdrawn')
  await s.subscribe(contact, audience)
  expect(await a.one(contact, addAudience(audience))).toBe('unchanged')
})

test('a withdrawal from the whole workspace refuses audiences that the person never joined', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  const { oneClickUrl } = await s.contacts.createPreferenceToken(s.us, { contactId: contact, scope: 'workspace' })
  const token = oneClickUrl.split('/').at(-1)!
  await s.contacts.usePreferenceLink(s.us, { token, via: 'one_click' })
  for (const { id } of await s.suppressions(contact)) await s.resolve(id)
  expect(await a.one(contact, addAudience(await s.audience()))).toBe('refused consent_withdrawn')
})

test('an automation does not end a review', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await s.stage.query('update contacts.memberships set under_review_since = now() where contact_id = $1', [contact])
  expect(await a.one(contact, addAudience(audience))).toBe('refused consent_under_review')
  expect(await s.reasons(contact, audience)).toEqual(['consent_under_review'])
})

test('an archived audience takes nobody and lets go; a deleted or foreign one is missing', async () => {
  const contact = await s.contact()
  const archived = await s.audience()
  await s.subscribe(contact, archived)
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  expect(await a.one(await s.contact(), addAudience(archived))).toBe('refused audience_archived')
  expect(await a.one(contact, removeAudience(archived))).toBe('applied')
  for (const id of [unknownId, await s.audience(s.them)]) {
    expect(await a.one(contact, addAudience(id))).toBe('refused audience_missing')
    expect(await a.one(contact, removeAudience(id))).toBe('unchanged')
  }
})

test('a subscribe, an unsubscribe and automations at once end as the consent record says', async () => {
  for (let round = 0; round < 4; round += 1) {
    const contact = await s.contact()
    await Promise.allSettled([
      a.one(contact, addAudience(audience)),
      s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience }),
      a.one(contact, addAudience(audience)),
      a.one(contact, removeAudience(audience)),
    ])
    expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  }
})

test('a person who came back after an erasure stays suppressed', async () => {
  const email = 'returned@example.com'
  await s.erase(await s.contact(s.us, email))
  const returned = await s.contact(s.us, email)
  expect(await a.one(returned, addAudience(audience))).toBe('refused suppressed_workspace')
})

test('a call that fails leaves nothing of any of its steps', async () => {
  const [first, second] = [await s.contact(), await s.contact()]
  const steps = [first, second].map((contact) => a.step(contact, addAudience(audience)))
  await s.stage.query(
    `create function contacts.always_fails() returns trigger language plpgsql as $$ begin raise exception 'this row always fails'; end $$`,
  )
  await s.stage.query(
    `create trigger always_fails before insert on contacts.automation_step_receipts for each row
       when (new.contact_id = '${second}') execute function contacts.always_fails()`,
  )
  await expect(a.apply(steps)).rejects.toThrow()
  for (const contact of [first, second]) {
    expect(await s.events(contact)).toEqual([])
    expect(await s.reasons(contact, audience)).toEqual(['consent_missing', 'not_subscribed'])
  }
  await s.stage.query('drop trigger always_fails on contacts.automation_step_receipts')
  expect(await a.apply(steps)).toEqual(['applied', 'applied'])
})

test('the consent of an automation is sealed and proven like any other', async () => {
  const contact = await s.contact()
  await a.one(contact, addAudience(audience))
  const sealed = () =>
    s.stage.query(
      'select 1 from contacts.consent_seals k join contacts.consent_events e on e.id = k.event_id where e.contact_id = $1',
      [contact],
    )
  await until(async () => (await sealed()).length === 1)
  const { proof } = await s.contacts.getConsentProof(s.us, { contactId: contact })
  expect(JSON.stringify(proof)).toContain(a.enrollmentId)
})
