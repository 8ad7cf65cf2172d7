import { expect, test } from '@jest/globals'
import { comparedValues } from './compared-values.ts'
import type { ContactFacts } from './condition-holds.ts'
import type { SubjectComparison } from './definition.ts'

const contact: ContactFacts = {
  fields: {
    email: 'ada@example.org',
    first_name: 'Ada',
    'custom.level': 3,
    'custom.note': `${'x'.repeat(199)}😀`,
    'custom.topics': Array.from({ length: 21 }, (_, n) => `t${n}`),
  },
  tags: [{ id: 't-1', name: 'VIP' }],
  mergedTags: new Map([['t-0', 't-1']]),
  audienceIds: ['a-1'],
  score: 7,
}
const graph = {
  typeOf: (field: string) => (field === 'custom.level' ? 'integer' : 'text'),
  tagName: (named: string) => (named === 't-2' ? 'Gold' : named),
}
const compared = (...subjects: SubjectComparison['subject'][]) =>
  comparedValues(
    subjects.map((subject) => ({ subject, operator: 'exists', value: null })),
    contact,
    graph,
  )

test('fields are shown with type and value, tags by name, memberships and the score, each once and nothing else', () => {
  const subjects = [
    { field: 'custom.level' },
    { field: 'last_name' },
    { tag: 't-0' },
    { tag: 't-2' },
    { audienceId: 'a-1' },
    { audienceId: 'a-2' },
    { score: true },
  ] as const
  expect(compared(...subjects, ...subjects)).toEqual([
    { field: 'custom.level', type: 'integer', value: 3 },
    { field: 'last_name', type: 'text', value: null },
    { tag: 'VIP', type: 'boolean', value: true },
    { tag: 'Gold', type: 'boolean', value: false },
    { audience_id: 'a-1', type: 'boolean', value: true },
    { audience_id: 'a-2', type: 'boolean', value: false },
    { score: true, type: 'integer', value: 7 },
  ])
})

test('long values are cut between characters, and what does not fit is left out', () => {
  const [note, topics] = compared({ field: 'custom.note' }, { field: 'custom.topics' })
  expect(note).toEqual({ field: 'custom.note', type: 'text', value: 'x'.repeat(199), is_cut: true })
  expect(topics).toMatchObject({ value: Array.from({ length: 20 }, (_, n) => `t${n}`), is_cut: true })
  const many = compared(...Array.from({ length: 200 }, (_, n) => ({ field: `custom.f${n}` })))
  expect(many.length).toBeGreaterThan(10)
  expect(Buffer.byteLength(JSON.stringify(many))).toBeLessThan(2_300)
})
