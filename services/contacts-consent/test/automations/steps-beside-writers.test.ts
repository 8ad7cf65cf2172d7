import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newImport } from '../imports/import-stage.ts'
import { addAudience, addTag, adjustScore, automationSteps, removeTag, updateField } from './steps-stage.ts'

let s: ContactsStage
let a: ReturnType<typeof automationSteps>
beforeAll(async () => {
  s = await openContacts()
  a = automationSteps(s)
  for (const name of ['imported', 'upserted', 'stepped', 'leaving']) await s.contacts.registerTag(s.us, { name })
})
afterAll(() => s.close())

const people = 12
const emailOf = (round: number, n: number) => `r${round}.p${n}@example.com`

test('steps, upserts, imports, subscribes and erasures of the same contacts wait for each other, and none is lost', async () => {
  for (let round = 0; round < 3; round += 1) {
    const audience = await s.audience()
    const emails = Array.from({ length: people }, (_, n) => emailOf(round, n))
    const ids: string[] = []
    for (const email of emails) {
      const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'test', tags: ['leaving'] })
      ids.push(contact!.id)
    }
    const erased = ids[0]!
    const effects = [
      addTag('stepped'),
      removeTag('leaving'),
      addAudience(audience),
      updateField('company', 'A'),
      adjustScore(1),
    ]
    const steps = effects.flatMap((effect) => ids.map((id) => a.step(id, effect)))
    const rows = emails.slice(1).map((email) => ({ email, status: 'subscribed', tags: 'imported' }))
    const [forward, backward] = await Promise.all([
      a.apply(steps),
      a.apply(steps.toReversed()),
      newImport(s, audience).apply(rows),
      s.erase(erased),
      ...ids.slice(1).map((id) => s.subscribe(id, audience)),
      ...emails.slice(1).map((email) => s.contacts.upsertContact(s.us, { email, source: 'test', lastName: 'B' })),
    ])
    for (const [index, id] of ids.slice(1).entries()) {
      const own = steps.flatMap((step, at) => (step.contactId === id ? [at] : []))
      expect(own.map((at) => forward[at])).toEqual(own.map((at) => backward.toReversed()[at]))
      const described = (await a.describe(id))!
      expect({ ...described, tags: described.tags.map(({ name }) => name).toSorted() }).toMatchObject({
        normalizedEmail: emails[index + 1],
        fields: { company: 'A', last_name: 'B' },
        tags: ['imported', 'stepped'],
        activeAudienceIds: [audience],
        score: 1,
      })
      expect(await s.reasons(id, audience)).toEqual([])
    }
    expect(await a.describe(erased)).toBeUndefined()
    expect(await a.one(erased, adjustScore(1))).toBe('refused contact_missing')
    const { audience: counted } = await s.contacts.getAudience(s.us, { audienceId: audience })
    expect(counted!.activeMemberCount).toBe(people - 1)
  }
})
