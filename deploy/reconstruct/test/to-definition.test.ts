import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { planOf } from '../src/plan.ts'
import { readExport } from '../src/read-export.ts'
import { copyOf, exportOf, removeFolders } from './export-folder.ts'
import { definitionOf, expectWellFormed, id, mapping, surroundings, type DefinitionGraph } from './workflow-world.ts'

afterEach(removeFolders)

test('the neutral example becomes a definition with the mapped names, and the rest is reviewed', async () => {
  const { workflows } = await planOf(await readExport(copyOf('harbour-mail')), mapping)
  const { definition, review } = workflows[0]!.define(surroundings.contentOf)
  expect(definition).toMatchObject({
    trigger: { type: 'audience_subscribed', config: { audience_id: id(1) } },
    start_node: 'welcome',
  })
  expect(definition['edges']).toEqual([
    { from: 'welcome', to: 'pause', branch: 'default' },
    { from: 'pause', to: 'members', branch: 'default' },
    { from: 'members', to: 'thank', branch: 'member', condition: { tag: 'member', operator: 'exists' } },
    { from: 'members', to: 'quays', branch: 'default' },
    { from: 'quays', to: 'thank', branch: 'default' },
    { from: 'thank', to: 'done', branch: 'default' },
  ])
  expect(review.mapped.map(({ source }) => source)).toEqual(['welcome', 'pause', 'members', 'quays', 'thank', 'done'])
  expect(review.not_mapped).toEqual([{ source: 'desk', kind: 'print_postcard', reason: 'Lettergate has no such step' }])
  expect(review.must_review.join('\n')).toMatch(/"visited" is left out/)
})

describe('steps', () => {
  const one = (step: object) => definitionOf({ trigger: { type: 'manual' }, start: 'a', steps: [{ id: 'a', ...step }] })
  test.each<[string, object, object]>([
    ['a wait', { type: 'wait', seconds: 60 }, { type: 'wait_duration', config: { seconds: 60 } }],
    ['a date', { type: 'wait_until', at: '2030-01-01T00:00:00Z' }, { type: 'wait_until_date' }],
    ['a tag', { type: 'remove_tag', tag: 'welcomed' }, { type: 'remove_tag', config: { tag: 'Welcomed' } }],
    [
      'joining a list, with its wording of consent',
      { type: 'join_list', list: 7 },
      { type: 'add_audience', config: { audience_id: id(2), wording_version: 'v1', source: 'pottery' } },
    ],
    ['leaving a list', { type: 'leave_list', list: 'newcomers' }, { type: 'remove_audience' }],
    [
      'a field',
      { type: 'set_field', field: 'city', value: 'Ghent' },
      { config: { field: 'custom.city', value: 'Ghent' } },
    ],
    ['points', { type: 'add_score', amount: -3 }, { type: 'adjust_score', config: { amount: -3 } }],
  ])('%s is mapped', (_, step, node) => {
    const { definition, review } = one(step)
    expect((definition['nodes'] as object[])[0]).toMatchObject(node)
    expect(review.not_mapped).toEqual([])
  })

  test.each<[string, object, RegExp]>([
    ['a wait of no time', { type: 'wait', seconds: 0 }, /1 to/],
    ['a date that does not exist', { type: 'wait_until', at: '2030-02-30T00:00:00Z' }, /no date-time/],
    ['an unknown tag', { type: 'add_tag', tag: 'constructor' }, /no tag "constructor"/],
    ['joining a list without a wording of consent', { type: 'join_list', list: 'newcomers' }, /no wording of consent/],
    ['an unknown sender', { type: 'email', email: 1, sender: 'ceo' }, /no sender "ceo"/],
    ['an unknown field', { type: 'set_field', field: 'shoe', value: 1 }, /no field "shoe"/],
    ['another step', { type: 'call_webhook', url: 'https://a.test' }, /no such step/],
  ])('%s is left out and reported', (_, step, reason) => {
    const { definition, review } = one(step)
    expect(review.not_mapped).toEqual([expect.objectContaining({ source: 'a', reason: expect.stringMatching(reason) })])
    expect(definition).toMatchObject({ start_node: 'end', nodes: [{ key: 'end', type: 'end' }], edges: [] })
  })

  test('a known step with a wrong field is refused, and not taken for an unknown one', () => {
    expect(() => one({ type: 'wait', seconds: 'soon' })).toThrow()
  })

  test('steps that name a missing step, or share an id, are refused', () => {
    const steps = [{ id: 'a', type: 'end' }]
    expect(() => definitionOf({ trigger: { type: 'manual' }, start: 'b', steps })).toThrow(/b is named/)
    expect(() => definitionOf({ trigger: { type: 'manual' }, start: 'a', steps: [...steps, ...steps] })).toThrow(
      /two steps/,
    )
  })

  test('a condition of which a part has no counterpart is left out as a whole', () => {
    const { definition, review } = definitionOf({
      trigger: { type: 'tag_added', tag: 'unknown' },
      start: 'a',
      steps: [
        {
          id: 'a',
          type: 'branch',
          branches: [
            { name: 'default', condition: { tag: 'member', operator: 'exists' }, next: 'z' },
            {
              name: 'both',
              condition: { all: [{ tag: 'member', operator: 'exists' }, { other: 'opened' }] },
              next: 'z',
            },
          ],
          otherwise: null,
        },
        { id: 'z', type: 'end' },
      ],
    })
    expect(definition['edges']).toEqual([
      { from: 'a', to: 'z', branch: 'default-2', condition: { tag: 'member', operator: 'exists' } },
      { from: 'a', to: 'end', branch: 'default' },
    ])
    expect(definition['trigger']).toEqual({ type: 'manual', config: {} })
    expect(review.must_review.join()).toMatch(/"both" is left out/)
    expect(review.must_review.join()).toMatch(/"unknown", which is not mapped/)
  })
})

test('every step of any workflow is either mapped or reported with a reason, and the graph is whole', () => {
  const stepIds = ['a', 'b', 'c', 'd', 'e', 'end']
  const next = fc.constantFrom(null, ...stepIds)
  const shape = fc.oneof(
    fc.record({ type: fc.constant('wait'), seconds: fc.integer({ min: -1, max: 3 }), next }),
    fc.record({ type: fc.constantFrom('add_tag', 'remove_tag'), tag: fc.constantFrom('member', 'unknown'), next }),
    fc.record({ type: fc.constantFrom('join_list', 'leave_list'), list: fc.constantFrom('7', 'newcomers', 'x'), next }),
    fc.record({ type: fc.constant('other_step'), next }),
    fc.record({ type: fc.constant('end') }),
    fc.record({
      type: fc.constant('branch'),
      branches: fc.array(
        fc.record({
          name: fc.constantFrom('yes', 'no', 'default'),
          condition: fc.constantFrom({ tag: 'member', operator: 'exists' }, { other: 'x' }, { not: { other: 'x' } }),
          next,
        }),
        { minLength: 1, maxLength: 3 },
      ),
      otherwise: next,
    }),
  )
  fc.assert(
    fc.property(fc.tuple(shape, shape, shape, shape, shape, shape), next, (shapes, start) => {
      const steps = shapes.map((step, index) => ({ id: stepIds[index], ...step }))
      const { definition, review } = definitionOf({ trigger: { type: 'manual' }, start, steps })
      expectWellFormed(definition as unknown as DefinitionGraph)
      const reported = [...review.mapped, ...review.not_mapped].map(({ source }) => source)
      expect(reported.toSorted()).toEqual(stepIds.toSorted())
    }),
  )
})

test('a workflow that is nested thousands of levels deep is refused, and does not exceed the stack', async () => {
  const depth = 20_000
  const condition = `${'{"not":'.repeat(depth)}{"other":"x"}${'}'.repeat(depth)}`
  const step = `{"id":"a","type":"branch","branches":[{"name":"b","condition":${condition}}],"otherwise":null}`
  const text = `{"format":"lettergate.legacy-workflow.v1","trigger":{"type":"manual"},"start":"a","steps":[${step}]}`
  const folder = exportOf(
    { 'w.json': text },
    { workflows: [{ object_id: 1, name: 'W', format: 'lettergate.legacy-workflow.v1', file: 'w.json' }] },
  )
  await expect(readExport(folder).then((read) => planOf(read, mapping))).rejects.toMatchObject({ kind: 'export' })
})
