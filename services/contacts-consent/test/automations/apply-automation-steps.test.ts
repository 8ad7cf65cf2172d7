import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'
import {
  addAudience,
  addTag,
  adjustScore,
  automationSteps,
  removeAudience,
  removeTag,
  tablesChangedBy,
  updateField,
} from './steps-stage.ts'

let s: ContactsStage
let a: ReturnType<typeof automationSteps>
let audience: string
beforeAll(async () => {
  s = await openContacts()
  a = automationSteps(s)
  audience = await s.audience()
  for (const name of ['vip', 'press', 'late']) await s.contacts.registerTag(s.us, { name })
  await s.contacts.defineContactField(s.us, { fieldKey: 'size', label: 'Size', fieldType: 'integer' })
})
afterAll(() => s.close())

const emailOf = async (contactId: string) => (await a.describe(contactId))!.normalizedEmail
const tagsOf = async (contactId: string) =>
  (await s.contacts.lookupContact(s.us, { email: await emailOf(contactId) })).contact!.tags
const triggers = async () =>
  (await Promise.all(['audience_subscribed', 'tag_added', 'tag_removed'].map(s.announced))).flat().length
const receipts = (contactId: string) =>
  s.stage.query('select * from contacts.automation_step_receipts where contact_id = $1', [contactId])
const scoreOf = async (contactId: string) => (await a.describe(contactId))!.score

test('tags are added and removed by name or id, counted, and fire no trigger', async () => {
  const contact = await s.contact()
  const before = await triggers()
  const { tags } = await s.contacts.listTags(s.us, {})
  const press = tags.find(({ name }) => name === 'press')!.id
  expect(await a.apply([a.step(contact, addTag('vip')), a.step(contact, addTag(press))])).toEqual([
    'applied',
    'applied',
  ])
  expect(await tagsOf(contact)).toEqual(['vip', 'press'])
  expect(await a.one(contact, addTag('press'))).toBe('unchanged')
  expect(await a.apply([a.step(contact, removeTag('vip')), a.step(contact, addTag('late'))])).toEqual([
    'applied',
    'applied',
  ])
  expect(await tagsOf(contact)).toEqual(['press', 'late'])
  expect(await a.one(contact, removeTag('vip'))).toBe('unchanged')
  const counted = (await s.contacts.listTags(s.us, {})).tags
  expect(counted.map(({ name, contactCount }) => [name, contactCount])).toEqual([
    ['late', 1],
    ['press', 1],
    ['vip', 0],
  ])
  expect(await triggers()).toBe(before)
})

test('the id of a merged tag adds the tag that stayed; a tag that is gone is refused and not registered', async () => {
  const contact = await s.contact()
  const { tag } = await s.contacts.registerTag(s.us, { name: 'merged away' })
  await s.contacts.mergeTag(s.us, { tagId: tag!.id, into: 'vip' })
  expect(await a.one(contact, addTag(tag!.id))).toBe('applied')
  expect(await tagsOf(contact)).toEqual(['vip'])
  expect(await a.one(contact, addTag('merged away'))).toBe('refused tag_missing')
  expect(await a.one(contact, addTag(unknownId))).toBe('refused tag_missing')
  const { tag: foreign } = await s.contacts.registerTag(s.them, { name: 'abroad' })
  expect(await a.one(contact, addTag(foreign!.id))).toBe('refused tag_missing')
  const names = (await s.contacts.listTags(s.us, {})).tags.map(({ name }) => name)
  expect(names).toEqual(['late', 'press', 'vip'])
})

test('a contact has at most 50 tags, also within one call', async () => {
  const tags = Array.from({ length: 49 }, (_, n) => `t${n}`)
  const { contact } = await s.contacts.upsertContact(s.us, { email: 'full@example.com', source: 'test', tags })
  const steps = [addTag('vip'), addTag('press'), removeTag('t0'), addTag('press'), addTag('late')]
  expect(await a.apply(steps.map((effect) => a.step(contact!.id, effect)))).toEqual([
    'applied',
    'refused too_many_tags',
    'applied',
    'applied',
    'refused too_many_tags',
  ])
  expect(await tagsOf(contact!.id)).toEqual([...tags.slice(1), 'vip', 'press'])
})

test('fields are set, cleared and checked against the definitions in force, with provenance', async () => {
  const contact = await s.contact()
  const effects = [
    updateField('first_name', 'Ada "Countess"'),
    updateField('timezone', 'Europe/Stockholm'),
    updateField('custom.size', 42),
    updateField('custom.size', 'large'),
    updateField('custom.unknown', 1),
    updateField('email', 'other@example.com'),
  ]
  expect(await a.apply(effects.map((effect) => a.step(contact, effect)))).toEqual([
    'applied',
    'applied',
    'applied',
    'refused field_invalid',
    'refused field_missing',
    'refused field_missing',
  ])
  const email = await emailOf(contact)
  expect((await a.describe(contact))!.fields).toEqual({
    email,
    first_name: 'Ada "Countess"',
    timezone: 'Europe/Stockholm',
    'custom.size': 42,
  })
  const provenance = await s.stage.query(
    `select source, source_metadata, is_creation from contacts.contact_provenance where contact_id = $1 and source = 'automation'`,
    [contact],
  )
  expect(provenance).toHaveLength(3)
  expect(provenance[0]).toMatchObject({
    source_metadata: { automation_id: a.automationId, enrollment_id: a.enrollmentId },
    is_creation: false,
  })
  expect(await a.one(contact, updateField('custom.size', 42))).toBe('unchanged')
  expect(
    await a.apply(
      [updateField('first_name', null), updateField('custom.size', null)].map((one) => a.step(contact, one)),
    ),
  ).toEqual(['applied', 'applied'])
  expect((await a.describe(contact))!.fields).toEqual({ email, timezone: 'Europe/Stockholm' })
  const found = await s.contacts.listContacts(s.us, { search: 'countess' })
  expect(found.contacts).toEqual([])
})

test('a score begins at 0 and adjustments add up, within its range', async () => {
  const contact = await s.contact()
  expect(await scoreOf(contact)).toBe(0)
  expect(await a.apply([5, -12].map((amount) => a.step(contact, adjustScore(amount))))).toEqual(['applied', 'applied'])
  expect(await scoreOf(contact)).toBe(-7)
  await s.stage.query('update contacts.contacts set score = 999999999 where id = $1', [contact])
  expect(await a.apply([1, 1].map((amount) => a.step(contact, adjustScore(amount))))).toEqual([
    'applied',
    'refused score_out_of_range',
  ])
  expect(await scoreOf(contact)).toBe(1_000_000_000)
})

test('a step that comes again answers its first outcome and changes no table', async () => {
  const contact = await s.contact()
  const effects = [addTag('vip'), addAudience(audience), updateField('company', 'A'), adjustScore(3), addTag('gone')]
  const steps = effects.map((effect) => a.step(contact, effect))
  const first = await a.apply(steps)
  expect(first).toEqual(['applied', 'applied', 'applied', 'applied', 'refused tag_missing'])
  await a.apply([removeTag('vip'), removeAudience(audience)].map((effect) => a.step(contact, effect)))
  await s.contacts.registerTag(s.us, { name: 'gone' })
  let again: string[] = []
  const changed = await tablesChangedBy(s, async () => {
    again = await a.apply(steps)
  })
  expect(again).toEqual(first)
  expect(changed).toEqual([])
  const more = a.step(contact, adjustScore(1))
  expect(await a.apply([steps[3]!, more])).toEqual(['applied', 'applied'])
  expect(await scoreOf(contact)).toBe(4)
})

test('simultaneous copies of a step have one effect and one answer', async () => {
  const contacts = await Promise.all(Array.from({ length: 8 }, () => s.contact()))
  const joined = await s.audience()
  const steps = contacts.flatMap((contact) => [a.step(contact, adjustScore(1)), a.step(contact, addAudience(joined))])
  const answers = await Promise.all([steps, steps.toReversed(), steps, steps.toReversed()].map((copy) => a.apply(copy)))
  for (const answer of answers) expect(new Set(answer)).toEqual(new Set(['applied']))
  for (const contact of contacts) {
    expect(await scoreOf(contact)).toBe(1)
    expect(await s.events(contact)).toHaveLength(1)
    expect(await receipts(contact)).toHaveLength(2)
  }
})

test('steps of several automations for one contact at once lose no effect', async () => {
  const contact = await s.contact()
  const calls = Array.from({ length: 10 }, () => automationSteps(s).one(contact, adjustScore(1)))
  const tags = ['vip', 'press', 'late'].map((tag) => a.one(contact, addTag(tag)))
  expect(new Set(await Promise.all([...calls, ...tags]))).toEqual(new Set(['applied']))
  expect(await scoreOf(contact)).toBe(10)
  expect((await tagsOf(contact)).toSorted()).toEqual(['late', 'press', 'vip'])
})

test('each effect changes the tables that it is about and no other', async () => {
  const contact = await s.contact()
  const changedBy = (effect: ReturnType<typeof addTag>) => tablesChangedBy(s, () => a.one(contact, effect))
  const receipt = 'automation_step_receipts'
  expect(await changedBy(addTag('vip'))).toEqual([receipt, 'contact_tags', 'contacts', 'tag_counts'])
  expect(await changedBy(removeTag('vip'))).toEqual([receipt, 'contact_tags', 'contacts', 'tag_counts'])
  expect(await changedBy(addAudience(audience))).toEqual([
    'audience_member_counts',
    receipt,
    'consent_events',
    'consent_evidence',
    'memberships',
    'outbox',
  ])
  expect(await changedBy(removeAudience(audience))).toEqual(['audience_member_counts', receipt, 'memberships'])
  expect(await changedBy(updateField('phone', '1'))).toEqual([receipt, 'contact_provenance', 'contacts'])
  expect(await changedBy(updateField('company', 'New'))).toEqual([receipt, 'contact_provenance', 'contacts'])
  expect(await changedBy(adjustScore(2))).toEqual([receipt, 'contacts'])
  expect(await changedBy(addTag('not there'))).toEqual([receipt])
  expect(await changedBy(adjustScore(0))).toEqual([receipt])
})

test('an unknown, foreign, deleted or erased contact is refused, and its receipts are removed with it', async () => {
  const [deleted, erased, foreign] = [await s.contact(), await s.contact(), await s.contact(s.them)]
  const steps = [deleted, erased].map((contact) => a.step(contact, adjustScore(1)))
  expect(await a.apply(steps)).toEqual(['applied', 'applied'])
  expect(await a.one(foreign, adjustScore(1))).toBe('refused contact_missing')
  await s.contacts.deleteContact(s.us, { contactId: deleted })
  const erasure = await s.erase(erased)
  expect(erasure.services.find(({ service }) => service === 'contacts-consent')!.removed).toMatchObject({
    automation_step_receipts: 1,
  })
  for (const contact of [deleted, erased]) expect(await receipts(contact)).toEqual([])
  let answers: string[] = []
  const changed = await tablesChangedBy(s, async () => {
    answers = await a.apply([...steps, a.step(newId(), addAudience(audience))])
  })
  expect(answers).toEqual(Array.from({ length: 3 }, () => 'refused contact_missing'))
  expect(changed).toEqual([])
  expect((await a.describe(foreign, s.them))!.score).toBe(0)
})

test('bad steps are refused with the name of the field, and none of the call is applied', async () => {
  const contact = await s.contact()
  const good = a.step(contact, adjustScore(1))
  const bad = {
    step_id: { ...good, stepId: 'x' },
    enrollment_id: { ...good, stepId: newId(), enrollmentId: '' },
    automation_id: { ...good, stepId: newId(), automationId: '' },
    contact_id: { ...good, stepId: newId(), contactId: 'x' },
    effect: { ...good, stepId: newId(), effect: { case: undefined } as never },
    audience_id: a.step(contact, addAudience('x')),
    wording_version: a.step(contact, {
      case: 'addAudience',
      value: { audienceId: audience, wordingVersion: ' ', source: 'a' },
    }),
    source: a.step(contact, { case: 'addAudience', value: { audienceId: audience, wordingVersion: '1', source: '' } }),
  }
  for (const [reason, step] of Object.entries(bad)) {
    await expect(a.apply([good, step])).rejects.toMatchObject({ code: 'invalid_argument', reason })
  }
  const { steps } = await s.contacts.applyAutomationSteps(s.us, { steps: [] })
  expect(steps).toEqual([])
  await expect(a.apply([good, good])).rejects.toMatchObject({ code: 'invalid_argument', reason: 'step_id' })
  const many = Array.from({ length: 201 }, () => a.step(contact, adjustScore(1)))
  await expect(a.apply(many)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'steps' })
  expect(await scoreOf(contact)).toBe(0)
  expect(await a.apply(many.slice(1))).toEqual(Array.from({ length: 200 }, () => 'applied'))
  expect(await scoreOf(contact)).toBe(200)
})

test('only old receipts are purged', async () => {
  const contact = await s.contact()
  const [old, young] = [a.step(contact, adjustScore(1)), a.step(contact, adjustScore(1))]
  await a.apply([old, young])
  const age = `update contacts.automation_step_receipts set recorded_at = now() - $2 * interval '1 day' where step_id = $1`
  await s.stage.query(age, [old.stepId, 366])
  await s.stage.query(age, [young.stepId, 364])
  await s.boot()
  await until(async () => (await receipts(contact)).length === 1)
  expect(await receipts(contact)).toMatchObject([{ step_id: young.stepId }])
})

test('a tag that is renamed or merged at the same moment is added or refused, and never lost or doubled', async () => {
  for (let round = 0; round < 4; round += 1) {
    const contact = await s.contact()
    const { tag } = await s.contacts.registerTag(s.us, { name: `moving ${round}` })
    const [, , byId, byName] = await Promise.all([
      s.contacts.renameTag(s.us, { tagId: tag!.id, name: `moved ${round}` }).catch((error: Fault) => {
        expect(error.message).toBe('There is no such tag in this workspace.') // merged before
      }),
      s.contacts.mergeTag(s.us, { tagId: tag!.id, into: 'late' }),
      a.one(contact, addTag(tag!.id)),
      a.one(contact, addTag(`moving ${round}`)),
    ])
    expect(['applied', 'unchanged']).toContain(byId)
    expect(['applied', 'unchanged', 'refused tag_missing']).toContain(byName)
    expect(await tagsOf(contact)).toEqual(['late'])
  }
})
