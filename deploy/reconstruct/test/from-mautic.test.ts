import { afterEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { planOf } from '../src/plan.ts'
import { readExport } from '../src/read-export.ts'
import { workflowFromMautic } from '../src/workflows/from-mautic.ts'
import { requireLinked, type LegacyWorkflow } from '../src/workflows/legacy-workflow.ts'
import { toDefinition } from '../src/workflows/to-definition.ts'
import { copyOf, removeFolders } from './export-folder.ts'
import { expectWellFormed, id, mapping, surroundings, type DefinitionGraph } from './workflow-world.ts'

afterEach(removeFolders)

test('the example of Mautic takes the way without an open, waits, and asks the tag', async () => {
  const { workflows } = await planOf(await readExport(copyOf('mautic')), mapping)
  const { definition, review } = workflows[0]!.define(surroundings.contentOf)
  expect(definition).toMatchObject({
    trigger: { type: 'audience_subscribed', config: { audience_id: id(2) } },
    start_node: 'event-11',
  })
  expect(definition['edges']).toEqual([
    { from: 'event-11', to: 'event-14-wait', branch: 'default' },
    { from: 'event-14-wait', to: 'event-14', branch: 'default' },
    { from: 'event-14', to: 'event-15', branch: 'yes', condition: { any: [{ tag: 'regular', operator: 'exists' }] } },
    { from: 'event-14', to: 'event-16', branch: 'default' },
    { from: 'event-15', to: 'end', branch: 'default' },
    { from: 'event-16', to: 'event-17-wait', branch: 'default' },
    { from: 'event-17-wait', to: 'end', branch: 'default' },
  ])
  expect(review.not_mapped.map(({ source }) => source).toSorted()).toEqual(['event-12', 'event-13', 'event-17'])
})

describe('Mautic', () => {
  const read = (events: object, more: object = {}): LegacyWorkflow =>
    requireLinked(
      workflowFromMautic(Buffer.from(JSON.stringify({ campaign: { id: 1, events, ...more } })), 'c.json'),
      'c.json',
    )
  const action = (number: number, more: object = {}) => ({
    id: number,
    type: 'lead.changepoints',
    eventType: 'action',
    properties: { points: number },
    triggerMode: 'immediate',
    ...more,
  })
  const after = (hours: number) => ({ triggerMode: 'interval', triggerInterval: hours, triggerIntervalUnit: 'h' })

  test('events that start together follow each other in the order of their delays', () => {
    const { steps, start } = read([action(1, after(5)), action(2), action(3, after(2))])
    expect(start).toBe('event-2')
    expect(steps).toMatchObject([
      { id: 'event-2', next: 'event-3-wait' },
      { id: 'event-3-wait', seconds: 7_200, next: 'event-3' },
      { id: 'event-3', next: 'event-1-wait' },
      { id: 'event-1-wait', seconds: 10_800, next: 'event-1' },
      { id: 'event-1', next: null },
    ])
  })

  test('an event beside one with followers is left out, with everything below it', () => {
    const { steps, left_out: leftOut } = read([
      action(1),
      action(2, { parent: { id: 1 } }),
      action(3, after(1)),
      action(4, { parent: { id: 3 } }),
    ])
    expect(steps.map((step) => step.id)).toEqual(['event-1', 'event-2'])
    expect(leftOut).toEqual([
      expect.objectContaining({ id: 'event-3', reason: expect.stringContaining('one path') }),
      expect.objectContaining({ id: 'event-4', reason: expect.stringContaining('follows event-3') }),
    ])
  })

  test('one action with several tags and segments becomes a step for each', () => {
    const { steps } = read([
      action(1, { type: 'lead.changetags', properties: { add_tags: ['a', 'b'], remove_tags: ['c'] } }),
      action(2, {
        type: 'lead.changelist',
        properties: { properties: { addToLists: [7], removeFromLists: ['8'] } },
        parent: 1,
      }),
    ])
    expect(steps).toMatchObject([
      { id: 'event-1', type: 'add_tag', tag: 'a', next: 'event-1-2' },
      { id: 'event-1-2', type: 'add_tag', tag: 'b', next: 'event-1-3' },
      { id: 'event-1-3', type: 'remove_tag', tag: 'c', next: 'event-2' },
      { id: 'event-2', type: 'join_list', list: '7', next: 'event-2-2' },
      { id: 'event-2-2', type: 'leave_list', list: '8', next: null },
    ])
  })

  test.each([
    ['=', 'equals'],
    ['!=', 'not_equals'],
    ['gt', 'greater_than'],
    ['!empty', 'exists'],
  ])('the operator %s of a field is %s', (operator, expected) => {
    const condition = {
      type: 'lead.field_value',
      eventType: 'condition',
      properties: { field: 'city', operator, value: 'x' },
    }
    const { steps } = read([{ id: 1, ...condition }])
    expect(steps[0]).toMatchObject({ branches: [{ condition: { field: 'city', operator: expected } }] })
  })

  test('an operator that Lettergate does not have is a condition without a counterpart', () => {
    const condition = {
      type: 'lead.field_value',
      eventType: 'condition',
      properties: { field: 'city', operator: 'regexp' },
    }
    const { steps } = read([{ id: 1, ...condition }])
    expect(steps[0]).toMatchObject({ branches: [{ condition: { other: expect.stringContaining('regexp') } }] })
  })

  test('the trigger is the first segment; other sources are reported', () => {
    const lists = [{ id: 7 }, { id: 8 }]
    expect(read([], { lists })).toMatchObject({ trigger: { list: '7' }, notes: [expect.stringContaining('Segment 8')] })
    expect(read([], { forms: [{ id: 1 }] })).toMatchObject({
      trigger: { type: 'other', kind: expect.stringContaining('form') },
    })
  })

  test('any campaign is read without an error, and each of its events is a step or left out', () => {
    const events = fc
      .array(
        fc.record({
          type: fc.constantFrom(
            'email.send',
            'lead.changepoints',
            'lead.changetags',
            'lead.tags',
            'email.open',
            'sms.send',
          ),
          eventType: fc.constantFrom('action', 'condition', 'decision'),
          properties: fc.constantFrom(
            {},
            [],
            { email: 4 },
            { points: '5' },
            { tags: ['member'] },
            { add_tags: ['member'] },
          ),
          parent: fc.option(fc.nat({ max: 9 }).map((number) => ({ id: number }))),
          decisionPath: fc.constantFrom('yes', 'no', null),
          triggerMode: fc.constantFrom('immediate', 'interval', 'date', null),
          triggerInterval: fc.option(fc.integer({ min: -1, max: 400 })),
          triggerIntervalUnit: fc.constantFrom('i', 'h', 'd', 'm', 'y', 'w', null),
          triggerDate: fc.constantFrom('2030-01-01T00:00:00+00:00', null),
        }),
        { maxLength: 10 },
      )
      .map((all) => all.map((event, index) => ({ id: index, ...event })))
    fc.assert(
      fc.property(events, (all) => {
        const workflow = read(all)
        const own = (step: string) => /^event-\d+$/.test(step)
        const stepIds = workflow.steps.map((step) => step.id).filter(own)
        const leftOut = workflow.left_out.map((one) => one.id)
        expect([...stepIds, ...leftOut].toSorted()).toEqual(all.map((event) => `event-${event.id}`).toSorted())
        const { definition, review } = toDefinition(workflow, surroundings)
        expectWellFormed(definition as unknown as DefinitionGraph)
        expect(review.mapped.length + review.not_mapped.length).toBe(workflow.steps.length + workflow.left_out.length)
      }),
    )
  })
})
