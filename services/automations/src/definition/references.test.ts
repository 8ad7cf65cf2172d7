import { expect, test } from '@jest/globals'
import type { Definition } from './definition.ts'
import { referencesOf, tooManyReferences } from './references.ts'

const id = (n: number) => `0190a3a0-0000-7000-8000-${String(n).padStart(12, '0')}`
const tagged = (count: number): Definition => ({
  trigger: { type: 'contact_date', field: 'custom.birthday', offsetDays: 0 },
  startNode: 'mail',
  nodes: [
    { key: 'mail', type: 'send_email', contentVersionId: id(1), senderIdentityId: id(2) },
    { key: 'again', type: 'send_email', contentVersionId: id(1), senderIdentityId: id(3) },
    { key: 'date', type: 'wait_until_date', until: { field: 'custom.renewal' } },
    { key: 'field', type: 'update_contact_field', field: 'company', value: 'A' },
    { key: 'join', type: 'add_audience', audienceId: id(4), wordingVersion: '1', source: 'a' },
  ],
  edges: [
    {
      from: 'mail',
      to: 'again',
      branch: 'x',
      condition: {
        any: [
          { not: { subject: { audienceId: id(5) }, operator: 'exists', value: null } },
          ...Array.from({ length: count }, (_, n) => ({
            subject: { tag: `t${n}` },
            operator: 'exists' as const,
            value: null,
          })),
        ],
      },
    },
  ],
})

test('what a definition names is listed once, from its trigger, nodes and conditions', () => {
  expect(referencesOf(tagged(2))).toEqual({
    audienceIds: [id(4), id(5)],
    tags: ['t0', 't1'],
    fieldKeys: ['birthday', 'renewal'],
    contentVersionIds: [id(1)],
    senderIdentityIds: [id(2), id(3)],
  })
})

test('a definition names at most 200 objects of a kind', () => {
  expect(tooManyReferences(tagged(200))).toEqual([])
  expect(tooManyReferences(tagged(201))).toEqual(['The definition names 201 tags. Name at most 200.'])
})
