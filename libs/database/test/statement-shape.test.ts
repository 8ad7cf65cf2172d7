import { expect, test } from '@jest/globals'
import { column, leftJoined, nullable } from '../src/column.ts'
import { checkStatements, isChecking, recordFields, checkShape } from '../src/statement-check.ts'

checkStatements()

const oid = { uuid: 2950, text: 25, varchar: 1043, integer: 23, bigint: 20, timestamptz: 1184 }
const shape = { id: column.uuid(), name: nullable(column.text()), count: column.integer() }

/** A result as the driver gives it. */
function resultOf(fields: [string, number][], ...rows: Record<string, unknown>[]) {
  return recordFields({ rows, fields: fields.map(([name, dataTypeID]) => ({ name, dataTypeID })) }).rows
}
const right: [string, number][] = [
  ['id', oid.uuid],
  ['name', oid.text],
  ['count', oid.integer],
]
const row = { id: 'x', name: 'y', count: 1 }

test('a result with the declared columns is accepted, in any order of columns and with nulls where they may be', () => {
  expect(isChecking()).toBe(true)
  checkShape('fine', shape, resultOf(right, row, { ...row, name: null }))
  checkShape('fine', shape, resultOf(right.toReversed(), row))
  checkShape('fine', shape, resultOf(right))
  checkShape('fine', shape, resultOf([right[0]!, ['name', oid.varchar], right[2]!], row))
})

test.each([
  ['a column is missing', right.slice(1), row, 'id is missing'],
  ['a column is not declared', [...right, ['other', oid.text]], row, 'other is not declared'],
  [
    'a column has another type',
    right.with(2, ['count', oid.bigint]),
    row,
    'count is of the type with oid 20, declared 23',
  ],
  ['two columns have one name', [...right, ['id', oid.uuid]], row, 'two columns have the same name'],
  ['a column is null', right, { ...row, count: null }, 'count is null, and is not declared nullable'],
] as [string, [string, number][], Record<string, unknown>, string][])(
  'a statement is refused when %s',
  (_, fields, given, problem) => {
    expect(() => checkShape('wrong', shape, resultOf(fields, given))).toThrow(
      `the statement wrong does not answer what it declares: ${problem}`,
    )
  },
)

test('every difference is reported at once', () => {
  const rows = resultOf(
    [
      ['id', oid.text],
      ['extra', oid.text],
    ],
    { id: null, extra: 'x' },
  )
  expect(() => checkShape('wrong', shape, rows)).toThrow(
    /name is missing; count is missing; id is of the type with oid 25, declared 2950; extra is not declared; id is null/,
  )
})

test('rows that did not come from the driver cannot be checked, and say so', () => {
  expect(() => checkShape('unknown', shape, [row])).toThrow('rows of an unknown origin')
})

test('the side of an outer join may be null in every column, and keeps its types', () => {
  const joined = leftJoined(shape)
  checkShape('joined', joined, resultOf(right, { id: null, name: null, count: null }))
  expect(() => checkShape('joined', joined, resultOf(right.with(0, ['id', oid.text]), row))).toThrow('declared 2950')
})
