import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { applyContactEffects, type EffectNode } from '../../src/contacts/apply-contact-effects.ts'
import { describeContacts } from '../../src/contacts/describe-contacts.ts'
import { openAutomations, type AutomationsStage } from '../automations-stage.ts'

let s: AutomationsStage
beforeAll(async () => {
  s = await openAutomations()
})
afterAll(() => s.close())

const ctx = () => ({ ...s.us, contacts: s.contacts })
const contact = async (email: string) =>
  (await s.contacts.upsertContact(s.us, { email, source: 'test', tags: ['old'] })).contact!.id
const step = (contactId: string, node: EffectNode) => ({
  stepId: newId(),
  enrollmentId: newId(),
  automationId: newId(),
  contactId,
  node,
})

test('each kind of node has its effect on the contact once, and the contact is described with it', async () => {
  const contactId = await contact('effects@example.com')
  await s.contacts.registerTag(s.us, { name: 'new' })
  await s.contacts.defineContactField(s.us, { fieldKey: 'size', label: 'Size', fieldType: 'integer' })
  const { audience } = await s.contacts.createAudience(s.us, { name: 'A', slug: 'effects', purpose: 'test' })
  const audienceId = audience!.id
  const nodes: EffectNode[] = [
    { type: 'add_tag', tag: 'new' },
    { type: 'remove_tag', tag: 'old' },
    { type: 'add_audience', audienceId, wordingVersion: 'v1', source: 'welcome' },
    { type: 'update_contact_field', field: 'custom.size', value: 3 },
    { type: 'update_contact_field', field: 'first_name', value: 'Ada' },
    { type: 'update_contact_field', field: 'first_name', value: null },
    { type: 'adjust_score', amount: -2 },
    { type: 'add_tag', tag: 'not there' },
  ]
  const steps = nodes.map((node) => step(contactId, node))
  const results = await applyContactEffects(ctx(), steps)
  expect(steps.map(({ stepId }) => results.get(stepId))).toEqual([
    ...Array.from({ length: 7 }, () => ({ outcome: 'applied', reasons: [] })),
    { outcome: 'refused', reasons: ['tag_missing'] },
  ])
  expect(await applyContactEffects(ctx(), steps)).toEqual(results)
  const described = (await describeContacts(ctx(), [contactId])).contacts.get(contactId)!
  expect(described).toMatchObject({
    normalizedEmail: 'effects@example.com',
    tags: [{ name: 'new' }],
    activeAudienceIds: [audienceId],
    score: -2,
  })
  expect(described.fields).toEqual({ email: 'effects@example.com', 'custom.size': 3 })

  const left = step(contactId, { type: 'remove_audience', audienceId })
  await applyContactEffects(ctx(), [left])
  expect((await describeContacts(ctx(), [contactId])).contacts.get(contactId)!.activeAudienceIds).toEqual([])
})

test('more than 200 steps or contacts take several calls', async () => {
  const contactId = await contact('many@example.com')
  const steps = Array.from({ length: 450 }, () => step(contactId, { type: 'adjust_score', amount: 1 }))
  expect((await applyContactEffects(ctx(), steps)).size).toBe(450)
  const { contacts: found } = await describeContacts(ctx(), [
    ...Array.from({ length: 401 }, () => newId()),
    contactId,
    contactId,
  ])
  expect([...found.values()].map(({ score }) => score)).toEqual([450])
})
