import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import {
  archivedAudience,
  ModelContact,
  registeredTags,
  sentEffect,
  type ModelEffect,
  type OtherAct,
} from './steps-model.ts'
import { automationSteps } from './steps-stage.ts'

let s: ContactsStage
let a: ReturnType<typeof automationSteps>
beforeAll(async () => {
  s = await openContacts()
  a = automationSteps(s)
  for (const name of registeredTags) await s.contacts.registerTag(s.us, { name })
  await s.contacts.defineContactField(s.us, { fieldKey: 'size', label: 'Size', fieldType: 'integer' })
})
afterAll(() => s.close())

const people = 3
const audience = fc.nat({ max: archivedAudience })
const effect: fc.Arbitrary<ModelEffect> = fc.oneof(
  fc.record({ do: fc.constantFrom('add tag', 'remove tag'), tag: fc.constantFrom(...registeredTags, 'gone') }),
  fc.record({ do: fc.constantFrom('join', 'leave'), audience }),
  fc.record({
    do: fc.constant('set' as const),
    field: fc.constantFrom('first_name', 'custom.size', 'custom.gone'),
    value: fc.constantFrom('Ada', 'Bo', 7, 8, null),
  }),
  fc.record({ do: fc.constant('score' as const), amount: fc.integer({ min: -3, max: 3 }) }),
)
type Turn =
  | { readonly steps: readonly { readonly person: number; readonly effect: ModelEffect }[] }
  | { readonly repeat: number }
  | { readonly person: number; readonly other: OtherAct }
const person = fc.nat({ max: people - 1 })
const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ steps: fc.array(fc.record({ person, effect }), { maxLength: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ repeat: fc.nat({ max: 20 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      person,
      other: fc.record({ act: fc.constantFrom('subscribe', 'unsubscribe', 'resolve'), audience }),
    }),
  },
)

/** One subscribe, unsubscribe or resolution in the service. Answers false if it was refused. */
async function live(contactId: string, { act, audience: n }: OtherAct, audiences: readonly string[]): Promise<boolean> {
  const audienceId = audiences[n]!
  if (act === 'unsubscribe') await s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
  if (act === 'resolve') {
    const open = (await s.suppressions(contactId)).filter((one) => one.audience_id === audienceId && !one.resolved_at)
    for (const { id } of open) await s.resolve(id)
  }
  if (act !== 'subscribe') return true
  return s.subscribe(contactId, audienceId).then(
    () => true,
    () => false,
  )
}

/** Plays the turns in the service and in the model, and compares each answer and the contacts at the end. */
async function check(turns: readonly Turn[]) {
  const audiences = [await s.audience(), await s.audience(), await s.audience()]
  await s.contacts.archiveAudience(s.us, { audienceId: audiences[archivedAudience]! })
  const ids = [await s.contact(), await s.contact(), await s.contact()]
  const model = ids.map(() => new ModelContact())
  const sent: { steps: Parameters<typeof a.apply>[0]; answer: string[] }[] = []
  for (const one of turns) {
    if ('steps' in one) {
      const steps = one.steps.map((step) => a.step(ids[step.person]!, sentEffect(step.effect, audiences)))
      const answer = one.steps.map((step) => model[step.person]!.step(step.effect))
      expect(await a.apply(steps)).toEqual(answer)
      sent.push({ steps, answer })
    } else if ('repeat' in one) {
      const earlier = sent[one.repeat % Math.max(1, sent.length)]
      if (earlier) expect(await a.apply(earlier.steps)).toEqual(earlier.answer)
    } else {
      expect(await live(ids[one.person]!, one.other, audiences)).toBe(model[one.person]!.other(one.other))
    }
  }
  for (const [index, id] of ids.entries()) await compare(id, model[index]!, audiences)
}

async function compare(id: string, model: ModelContact, audiences: readonly string[]) {
  const described = (await a.describe(id))!
  const { email: _, ...fields } = described.fields!
  expect({
    // A tag that one set of steps removes and adds again keeps its position.
    tags: described.tags.map(({ name }) => name).toSorted(),
    active: described.activeAudienceIds.toSorted(),
    fields,
    score: described.score,
    record: (await s.events(id)).map((event) => event['kind']),
  }).toEqual({
    tags: model.tags.toSorted(),
    active: audiences.filter((_id, n) => model.memberships[n]!.isActive).toSorted(),
    fields: model.fields,
    score: model.score,
    record: model.record,
  })
  for (const [n, { isActive, hasConsent, hasLeft, isSuppressed }] of model.memberships.entries()) {
    const isEligible = isActive && hasConsent && !hasLeft && !isSuppressed && n !== archivedAudience
    expect([n, (await s.reasons(id, audiences[n]!)).length === 0]).toEqual([n, isEligible])
  }
}

test('random steps, repeats and choices of people end as the model says', async () => {
  await fc.assert(fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 15 }), check), { numRuns: 25 })
})
