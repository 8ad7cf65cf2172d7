import { expect } from '@jest/globals'
import fc from 'fast-check'

/** Inputs that often cause a 500. */

export const nasty = [
  '\u0000',
  '\ud800',
  'a\udfff',
  '',
  ' ',
  'x'.repeat(20_000),
  '😀'.repeat(200),
  'e\u0301',
  '"quoted local"@b.test',
  `${'a'.repeat(400)}@b.test`,
  '../../etc/passwd',
  "'; drop table users; --",
  '<script>alert(1)</script>',
  '0000-01-01T00:00:00Z',
  '275760-09-13T00:00:00.000Z',
  '2026-01-01T00:00:00+99:99',
  '2026-06-30T23:59:60Z',
  'NaN',
  '-0',
  '__proto__',
  'constructor',
] as const
const numbers = [2_147_483_648, -2_147_483_649, 1e308, -0, Number.MAX_SAFE_INTEGER, 0.1, 1e-320] as const

const leaf = fc.oneof(
  fc.constantFrom(...nasty),
  fc.constantFrom(...numbers),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
export const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'confirmation', 'enabled', ''), fc.string()),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any

export const bodies = fc.oneof(
  value.map((body) => JSON.stringify(body) ?? ''),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '{',
    '[]',
    '"',
    'null',
    '{"evidence":{"a":1e400},"source_metadata":{"a":[-1e999]}}',
    '{"confirmation":"a","confirmation":"b"}',
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    '{"enabled":1e999}',
    '{"confirmation":"\\ud800","quota_reviewed":true}',
    '{"__proto__":{"enabled":true}}',
    '\ufeff{"enabled":true}',
  ),
)
export const types = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-7',
  'application/json;charset',
  'text/plain',
  'multipart/form-data',
  '',
  'application/json; charset=utf-8; charset=latin1',
)

/** Expects an answer that is not an internal error, and a page for a refusal. */
export async function noServerError(what: unknown, asked: Promise<{ status: number; headers: Headers }>) {
  const { status, headers } = await asked
  expect({ what, isServerError: status >= 500 }).toEqual({ what, isServerError: false })
  if (status >= 400) expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
}
