import { expect, test } from '@jest/globals'
import { parseRows } from './import-rows.ts'

const now = new Date('2026-01-01T00:00:00Z')
const parse = (columns: Record<string, string>, staticTags: readonly string[] = []) =>
  parseRows(
    {
      rowNumbers: [7],
      columns: Object.entries({ email: 'ada@example.com', ...columns }).map(([target, value]) => ({
        target,
        values: value,
      })),
    } as never,
    { definitions: [{ fieldKey: 'size', fieldType: 'integer', options: [] }], staticTags, now, rowsMax: 10 },
  )
const problemsOf = (columns: Record<string, string>) => parse(columns).problems.get(0) ?? []

test.each([
  [{ email: 'nobody' }, 'email_invalid'],
  [{ first_name: 'x'.repeat(161) }, 'first_name_too_long'],
  [{ last_name: 'x'.repeat(161) }, 'last_name_too_long'],
  [{ company: 'x'.repeat(201) }, 'company_too_long'],
  [{ locale: 'x'.repeat(501) }, 'locale_too_long'],
  [{ timezone: 'x'.repeat(501) }, 'timezone_too_long'],
  [{ phone: 'x'.repeat(501) }, 'phone_too_long'],
  [{ phone: '\u0000' }, 'phone_invalid'],
  [{ country_code: 'XX' }, 'country_code_invalid'],
  [{ country_code: 'Sweden' }, 'country_code_invalid'],
  [{ tags: `ok;${'x'.repeat(101)}` }, 'tags_too_long'],
  [{ tags: 'a\u0000' }, 'tags_invalid'],
  [{ captured_at: 'yesterday' }, 'captured_at_invalid'],
  [{ captured_at: '2026-01-01T00:06:00Z' }, 'captured_at_in_future'],
  [{ 'custom.size': 'XL' }, 'custom.size_invalid'],
])('%j has a problem with a stable reason', (columns, reason) => {
  expect(problemsOf(columns as unknown as Record<string, string>)).toEqual([reason])
})

test('values at their limits are stored, and characters are counted, not code units', () => {
  expect(
    problemsOf({ first_name: '😀'.repeat(160), company: 'x'.repeat(200), captured_at: '2026-01-01T00:04:00Z' }),
  ).toEqual([])
})

test('a row with several problems names each once', () => {
  expect(
    problemsOf({ first_name: 'x'.repeat(161), country_code: '?', tags: `${'x'.repeat(101)};${'y'.repeat(101)}` }),
  ).toEqual(['first_name_too_long', 'country_code_invalid', 'tags_too_long'])
})

test('of a row with very many problems ten are named, that of its address first', () => {
  const definitions = Array.from({ length: 50 }, (_, n) => ({
    fieldKey: `f${n}`,
    fieldType: 'integer' as const,
    options: [],
  }))
  const columns = [
    ...definitions.map(({ fieldKey }) => ({ target: `custom.${fieldKey}`, values: 'x' })),
    { target: 'email', values: 'nobody' },
  ]
  const { problems } = parseRows({ rowNumbers: [1], columns } as never, {
    definitions,
    staticTags: [],
    now,
    rowsMax: 10,
  })
  expect(problems.get(0)).toHaveLength(10)
  expect(problems.get(0)![0]).toBe('email_invalid')
})

test('an empty value is no value, and the tags of a row come before those of the import, each once', () => {
  const batch = parse({ first_name: '', country_code: 'se', tags: ' b ; ;a;b' }, ['a', 'z'])
  expect(batch.texts.get('first_name')).toEqual([null])
  expect(batch.texts.get('country_code')).toEqual(['SE'])
  expect(batch.tags).toEqual([['b', 'a', 'z']])
  expect(parse({}).tags).toBeUndefined()
  expect(parse({}).statuses).toEqual([''])
})
