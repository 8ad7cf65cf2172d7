import { expect, test } from '@jest/globals'
import { draftDifferences, tagsInWords } from './draft-differences.ts'

const names: Record<string, string> = { a1: 'Weekly', a2: 'Product', s1: 'Ada', c1: 'Spring 1', c2: 'Spring 2' }
const nameOf = (id: string) => names[id] ?? id
const draft = {
  name: 'Spring',
  audience_ids: ['a1', 'a2'],
  tag_filter: null,
  sender_identity_id: 's1',
  content_version_id: 'c1',
  notes: null,
}

test('equal drafts have no difference, in whatever order their audiences are', () => {
  expect(draftDifferences(draft, { ...draft, audience_ids: ['a2', 'a1'] }, nameOf)).toEqual([])
})

test('each part of a draft that differs is told in words', () => {
  const after = {
    name: 'Spring sale',
    audience_ids: ['a2'],
    tag_filter: { any: ['vip', 'london'], none: ['staff'] },
    sender_identity_id: 's2',
    content_version_id: 'c2',
    notes: 'With prices',
  }
  expect(draftDifferences(draft, after, nameOf)).toEqual([
    { of: 'Name', before: 'Spring', after: 'Spring sale' },
    { of: 'Audiences', before: 'Product, Weekly', after: 'Product' },
    { of: 'Tags', before: '', after: 'any of vip, london; none of staff' },
    { of: 'Sender', before: 'Ada', after: 's2' },
    { of: 'Content', before: 'Spring 1', after: 'Spring 2' },
    { of: 'Notes', before: '', after: 'With prices' },
  ])
  expect(tagsInWords(null)).toBe('')
})
