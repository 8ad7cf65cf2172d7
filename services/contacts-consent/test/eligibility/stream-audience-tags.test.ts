import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

interface Filter {
  any?: string[]
  all?: string[]
  none?: string[]
}

async function subscriber(audienceId: string, name: string, tags: string[]) {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: `${name}.${newId()}@example.com`,
    source: 'test',
    firstName: name,
    tags,
    updateMask: { paths: ['first_name', 'tags'] },
  })
  await s.subscribe(contact!.id, audienceId)
  return contact!.id
}

async function streamed(audienceIds: string[], tagFilter?: Filter) {
  const verdicts = []
  for await (const batch of s.contacts.streamAudienceVerdicts(s.us, {
    audienceIds,
    ...(tagFilter ? { tagFilter } : {}),
  }))
    verdicts.push(...batch.verdicts)
  return verdicts
}

test('only contacts that match the tag filter get a verdict, eligible or not', async () => {
  const audience = await s.audience()
  const ids = new Map<string, string>()
  for (const [name, tags] of Object.entries({ ann: ['a'], bob: ['a', 'b'], cleo: ['b', 'c'], dan: [] }))
    ids.set(await subscriber(audience, name, tags), name)
  const [bob] = [...ids].find(([, name]) => name === 'bob')!
  await s.contacts.suppressContact(s.us, { contactId: bob, scope: 'workspace', reason: 'manual' })
  const names = async (filter?: Filter) =>
    (await streamed([audience], filter))
      .map(({ contactId, reasons }) => `${ids.get(contactId)}${reasons.length > 0 ? ' excluded' : ''}`)
      .sort()

  expect(await names()).toEqual(['ann', 'bob excluded', 'cleo', 'dan'])
  expect(await names({})).toEqual(['ann', 'bob excluded', 'cleo', 'dan'])
  expect(await names({ any: ['a', 'c'] })).toEqual(['ann', 'bob excluded', 'cleo'])
  expect(await names({ all: ['a', 'b'] })).toEqual(['bob excluded'])
  expect(await names({ none: ['b'] })).toEqual(['ann', 'dan'])
  expect(await names({ any: ['a', 'b'], all: ['b'], none: ['c'] })).toEqual(['bob excluded'])
})

test('a filter with a renamed tag is refused, so that it never includes contacts that it excluded', async () => {
  const audience = await s.audience()
  await subscriber(audience, 'out', ['paused'])
  expect(await streamed([audience], { none: ['paused'] })).toEqual([])
  const { tags } = await s.contacts.listTags(s.us, {})
  await s.contacts.renameTag(s.us, { tagId: tags.find(({ name }) => name === 'paused')!.id, name: 'on hold' })
  for (const filter of [{ none: ['paused'] }, { any: ['paused'] }, { all: ['PAUSED'] }])
    await expect(streamed([audience], filter)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'tag_filter',
    })
  expect(await streamed([audience], { none: ['on hold'] })).toEqual([])
})

test('with several audiences, a matching contact appears once and other contacts do not appear', async () => {
  const [first, second] = [await s.audience(), await s.audience()]
  const both = await subscriber(first, 'both', ['in'])
  await s.subscribe(both, second)
  await s.subscribe(await subscriber(first, 'other', ['out']), second)
  expect(await streamed([first, second], { all: ['in'] })).toMatchObject([{ contactId: both, reasons: [] }])
})

test('after a merge, the remaining tag matches the contacts of both tags', async () => {
  const audience = await s.audience()
  const [one, other] = [await subscriber(audience, 'one', ['before']), await subscriber(audience, 'other', ['after'])]
  const plain = await subscriber(audience, 'plain', [])
  const { tags } = await s.contacts.listTags(s.us, {})
  await s.contacts.mergeTag(s.us, { tagId: tags.find(({ name }) => name === 'before')!.id, into: 'after' })
  const of = async (filter: Filter) => new Set((await streamed([audience], filter)).map(({ contactId }) => contactId))
  for (const filter of [{ any: ['after'] }, { all: ['after'] }]) expect(await of(filter)).toEqual(new Set([one, other]))
  expect(await of({ none: ['after'] })).toEqual(new Set([plain]))
})

test.each([
  ['tag_filter.any', { any: [' '] }],
  ['tag_filter.all', { all: ['x'.repeat(101)] }],
  ['tag_filter.none', { none: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
])('an invalid %s is refused with the name of the field', async (reason, filter) => {
  await expect(streamed([await s.audience()], filter)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})
