import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseSourceProvenance } from '../src/source-provenance.ts'

const right = {
  source_system: 'mautic',
  source_object_type: 'email',
  source_object_id: 12,
  source_id: 'mautic:email:12',
  source_repository_commit: 'a'.repeat(40),
  checksum_manifest_sha256: 'b'.repeat(64),
  protected_source_outside_git: true,
  operator_review_required: true,
  source_checksum: 'c'.repeat(64),
}

const refusal = { code: 'invalid_argument', reason: 'source_provenance' }
const parse = (given: unknown) => () => parseSourceProvenance(given, 'email')

test('a complete provenance is returned as it is, with and without the optional fields', () => {
  expect(parseSourceProvenance(right, 'email')).toEqual(right)
  const full = {
    ...right,
    source_object_id: 'a-12',
    source_repository_commit: 'd'.repeat(64),
    source_hashes: { 'a.html': 'e'.repeat(64) },
    transformation: { program: 'p' },
    workflow_graph_sha256: 'f'.repeat(64),
  }
  expect(parseSourceProvenance(full, 'email')).toEqual(full)
})

describe('refused', () => {
  test.each(Object.keys(right))('without %s', (name) => {
    expect(parse({ ...right, [name]: undefined })).toThrow(expect.objectContaining(refusal))
  })

  test.each([
    ['another type', { source_object_type: 'campaign' }],
    ['a short commit', { source_repository_commit: 'abc1234' }],
    ['a hash in capitals', { source_checksum: 'C'.repeat(64) }],
    ['a source inside Git', { protected_source_outside_git: false }],
    ['no review', { operator_review_required: 'true' }],
    ['a broken number as id', { source_object_id: 1.5 }],
    ['an unknown field', { contact_email: 'a@b.test' }],
    ['hashes that are no object', { source_hashes: ['a'] }],
    ['a field named like one of Object', { constructor: 'x' }],
    ['a NUL character', { source_hashes: { 'a\u0000': 'b' } }],
    ['a NUL character in a list', { transformation: { not_mapped: ['a\u0000'] } }],
    ['too much', { transformation: { text: 'x'.repeat(70_000) } }],
  ])('with %s', (_, change) => {
    expect(parse({ ...right, ...change })).toThrow(expect.objectContaining(refusal))
  })

  test('any other JSON, never with another error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        expect(parse(given)).toThrow(expect.objectContaining(refusal))
      }),
    )
  })
})
