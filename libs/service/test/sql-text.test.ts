import { expect, test } from '@jest/globals'
import { withoutLiterals } from '../src/sql-text.ts'

test.each([
  [
    `select * from contacts where email = 'ada@example.test' and id = $1`,
    `select * from contacts where email = '?' and id = $1`,
  ],
  [`insert into t values ('o''brien', 'b', 3, null)`, `insert into t values ('?', '?', 3, null)`],
  [`values (E'a\\'b@c.test', 'd@e.test')`, `values ('?', '?')`],
  [`values (e'line\\\\', 'd@e.test')`, `values ('?', '?')`],
  [`values ('ends with \\', 'd@e.test')`, `values ('?', '?')`],
  [`values ('{"a": "x"}'::jsonb, '\\x00ff'::bytea)`, `values ('?'::jsonb, '?'::bytea)`],
  [`select "name'" from t where x = 'cut off`, `select "name'" from t where x = '?'`],
  ['select 1', 'select 1'],
])('every text literal of %s is removed', (statement, expected) => {
  expect(withoutLiterals(statement)).toBe(expected)
})
