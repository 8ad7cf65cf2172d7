import { expect, test } from '@jest/globals'
import { callableOperations, typeOf } from '../../tools/client-code.ts'
import { generatedClients } from '../../tools/generated-clients.ts'
import { read } from './tree.ts'

test.each(Object.entries(generatedClients()))('%s is current: else run make proto', (path, text) => {
  expect(read(path) === text).toBe(true)
})

test('the clients offer every operation that is for programs', () => {
  const ids = [...callableOperations('public'), ...callableOperations('console')].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThan(100)
  expect(ids).toEqual(expect.arrayContaining(['getMe', 'uploadImport', 'ingestSubscriptionEvent', 'listAuditEntries']))
  for (const id of ['receiveProviderEvent', 'usePreferenceLink', 'showDocs']) expect(ids).not.toContain(id)
})

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ type: ['string', 'null'], enum: ['a', null] }, '"a" | null'],
  [{ const: true }, 'true'],
  [{ $ref: '#/components/schemas/Contact' }, 'Contact'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
  [{ allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }, 'A & B'],
  [{ anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }, 'A | null'],
  [{ type: 'string', contentMediaType: 'text/csv' }, 'Blob'],
  [{}, 'unknown'],
])('the type of %j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type)
})

test('properties that are not required are optional, and their description is their comment', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, 'b-c': { type: 'string', description: 'End */ it.' } },
  }
  expect(typeOf(schema)).toBe('{\n  a: string\n  /** End * / it. */\n  "b-c"?: string\n}')
})
