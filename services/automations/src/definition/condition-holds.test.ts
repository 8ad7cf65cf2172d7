import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { conditionHolds, type ContactFacts } from './condition-holds.ts'
import { operators, type EdgeCondition, type JsonValue, type Operator } from './definition.ts'

const vip = '0190a3a0-0000-7000-8000-000000000001'
const gold = '0190a3a0-0000-7000-8000-000000000003'
const news = '0190a3a0-0000-7000-8000-000000000002'
const contact: ContactFacts = {
  fields: {
    first_name: 'Ada',
    'custom.age': 36,
    'custom.member': false,
    'custom.birthday': '2000-02-29',
    'custom.seen': '2027-01-01T00:00:00+01:00',
    'custom.code': '2027-01-01T00:00:00+01:00',
    'custom.topics': ['art', 'law'],
  },
  tags: [{ id: vip, name: 'VIP' }],
  mergedTags: new Map([[gold, vip]]),
  audienceIds: [news],
  score: 7,
}
const types: Record<string, string> = { 'custom.seen': 'datetime', x: 'text', y: 'datetime' }
const typeOf = (name: string) => types[name] ?? 'text'
const field = (name: string, operator: Operator, value: JsonValue = null): EdgeCondition => ({
  subject: { field: name },
  operator,
  value,
})

test.each<[string, Operator, JsonValue, boolean]>([
  ['first_name', 'equals', 'Ada', true],
  ['first_name', 'equals', 'ada', false],
  ['first_name', 'not_equals', 'ada', true],
  ['first_name', 'contains', 'd', true],
  ['first_name', 'contains', 'D', false],
  ['first_name', 'in', ['Bob', 'Ada'], true],
  ['first_name', 'exists', null, true],
  ['last_name', 'exists', null, false],
  ['last_name', 'not_exists', null, true],
  ['last_name', 'equals', 'Ada', false],
  ['last_name', 'not_equals', 'Ada', true],
  ['last_name', 'contains', '', false],
  ['last_name', 'in', ['Ada'], false],
  ['custom.age', 'greater_than', 35.5, true],
  ['custom.age', 'greater_than', 36, false],
  ['custom.age', 'less_than', 36.1, true],
  ['custom.age', 'equals', '36', false],
  ['custom.age', 'less_than', '99', false],
  ['custom.unset', 'less_than', 0, false],
  ['custom.unset', 'greater_than', 0, false],
  ['custom.member', 'equals', false, true],
  ['custom.member', 'exists', null, true],
  ['custom.birthday', 'less_than', '2000-03-01', true],
  ['custom.birthday', 'greater_than', '1999-12-31', true],
  ['custom.seen', 'equals', '2026-12-31T23:00:00Z', true],
  ['custom.seen', 'in', ['2026-12-31t23:00:00.000z'], true],
  ['custom.seen', 'less_than', '2027-01-01T00:00:00Z', true],
  ['custom.seen', 'not_equals', '2026-12-31T23:00:00Z', false],
  // A text that looks like a date-time stays a text.
  ['custom.code', 'equals', '2026-12-31T23:00:00Z', false],
  ['custom.code', 'not_equals', '2026-12-31T23:00:00Z', true],
  ['custom.code', 'in', ['2026-12-31T23:00:00Z'], false],
  ['custom.code', 'equals', '2027-01-01T00:00:00+01:00', true],
  ['custom.topics', 'equals', 'law', true],
  ['custom.topics', 'contains', 'art', true],
  ['custom.topics', 'contains', 'ar', false],
  ['custom.topics', 'in', ['sport', 'law'], true],
  ['custom.topics', 'not_equals', 'art', false],
])('%s %s %j: %j', (name, operator, value, expected) => {
  expect(conditionHolds(field(name, operator, value), contact, typeOf)).toBe(expected)
})

test('a tag is found by its name, its id and the id of a tag that was merged into it, a membership by its audience, and the score is compared', () => {
  const holds = (subject: object, operator: Operator = 'exists', value: JsonValue = null) =>
    conditionHolds({ subject, operator, value } as EdgeCondition, contact, typeOf)
  expect(
    [{ tag: 'VIP' }, { tag: vip }, { tag: gold }, { tag: 'vip' }, { audienceId: news }, { audienceId: vip }].map(
      (one) => holds(one),
    ),
  ).toEqual([true, true, true, false, true, false])
  expect(holds({ tag: 'vip' }, 'not_exists')).toBe(true)
  expect(holds({ score: true }, 'greater_than', 6)).toBe(true)
  expect(holds({ score: true }, 'in', [1, 7])).toBe(true)
  expect(holds({ score: true }, 'equals', 8)).toBe(false)
})

const value = fc.oneof(
  fc.constantFrom<JsonValue>('a', 'b', 'ab', true, false, '2027-01-01T00:00:00Z', '2027-01-01T01:00:00+01:00'),
  fc.integer({ min: -2, max: 2 }),
)
const stored = fc.oneof(value, fc.constant(null), fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }))
const facts = fc.record({ x: stored, y: stored }).map((fields): ContactFacts => {
  const set = Object.entries(fields).filter(([, one]) => one !== null)
  return {
    fields: Object.fromEntries(set) as Record<string, JsonValue>,
    tags: [],
    mergedTags: new Map(),
    audienceIds: [],
    score: 0,
  }
})
const leaf = fc.record({
  subject: fc.record({ field: fc.constantFrom('x', 'y') }),
  operator: fc.constantFrom(...operators.filter((one) => one !== 'in')),
  value,
})
const condition = fc.letrec<{ any: EdgeCondition }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf as fc.Arbitrary<EdgeCondition>,
    fc.record({ not: tie('any') }),
    fc.record({ all: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
  ),
})).any

test('all, any and not follow the laws of logic', () => {
  fc.assert(
    fc.property(condition, condition, facts, (one, other, who) => {
      const [a, b] = [conditionHolds(one, who, typeOf), conditionHolds(other, who, typeOf)]
      expect(conditionHolds({ not: one }, who, typeOf)).toBe(!a)
      expect(conditionHolds({ all: [one, other] }, who, typeOf)).toBe(a && b)
      expect(conditionHolds({ any: [one, other] }, who, typeOf)).toBe(a || b)
      expect(conditionHolds({ not: { all: [one, other] } }, who, typeOf)).toBe(
        conditionHolds({ any: [{ not: one }, { not: other }] }, who, typeOf),
      )
    }),
  )
})

test('each operator is the opposite of its negation, and in is any of its values', () => {
  fc.assert(
    fc.property(facts, value, fc.array(value, { minLength: 1, maxLength: 3 }), (who, one, several) => {
      const holds = (operator: Operator, given: JsonValue) => conditionHolds(field('x', operator, given), who, typeOf)
      expect(holds('not_equals', one)).toBe(!holds('equals', one))
      expect(holds('not_exists', null)).toBe(!holds('exists', null))
      expect(holds('in', several)).toBe(several.some((each) => holds('equals', each)))
      const orders = [holds('greater_than', one), holds('less_than', one), holds('equals', one)]
      expect(orders.filter(Boolean).length).toBeLessThanOrEqual(1)
      if (!holds('exists', null)) expect(orders).toEqual([false, false, false])
    }),
  )
})
