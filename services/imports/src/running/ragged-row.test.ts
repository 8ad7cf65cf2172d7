import { expect, test } from '@jest/globals'
import { compileMapping } from '../mapping/compile-mapping.ts'
import type { ImportPolicy } from '../mapping/import-policy.ts'
import { raggedRow } from './ragged-row.ts'

const headers = ['name', 'email', 'status', 'note']
const address = 'ada@example.com'
const mapping = { name: 'first_name', email: 'email', status: 'status' }
const rowOf = (cells: string[], { map = mapping, policy = {} }: { map?: object; policy?: ImportPolicy } = {}) => {
  const { mapRow } = compileMapping({ headers, mapping: { ...map }, policy, consent_policy: 'explicit_opt_in' })
  const problem = cells.length < headers.length ? 'too_few_cells' : 'too_many_cells'
  return raggedRow({ problem, cells, damagedColumns: [] }, headers.length, mapRow)
}

test.each([
  ['too few', ['Ada', address, 'unsubscribed']],
  ['too many', ['Ada', address, 'unsubscribed', 'x', 'y']],
])('a refusal counts in a row with %s cells, without its other values', (_, cells) => {
  expect(rowOf(cells)).toEqual({ address, status: 'unsubscribed', values: [address, ''] })
})

test.each([
  ['too few cells, aligned from the left', ['Ada', address, 'subscribed'], 'too_few_cells', 'subscribed'],
  ['no cell of the status', ['Ada', address], 'too_few_cells', 'unknown'],
  ['a cell missing before the address', [address, 'subscribed', 'x'], 'too_few_cells', 'unknown'],
  ['too many cells', ['Ada', address, 'subscribed', 'x', 'y'], 'too_many_cells', 'unknown'],
  ['a surplus cell before the address', ['Doe', ' Jane', address, 'unsubscribed', 'x'], 'too_many_cells', 'unknown'],
])('a row with %s cannot be used and restricts its address', (_, cells, problem, status) => {
  expect(rowOf(cells)).toEqual({ problem, address, status })
})

const brokenRowOf = (cells: string[], plainCells = cells) => {
  const { mapRow } = compileMapping({ headers, mapping, policy: {}, consent_policy: 'explicit_opt_in' })
  return raggedRow({ problem: 'malformed_quotes', cells, plainCells, damagedColumns: [] }, headers.length, mapRow)
}

test.each([
  ['read with quotes', ['Ada', address, 'unsubscribed', 'x'], ['Ada', 'x', address, 'unsubscribed', 'x']],
  ['read without quotes', [`Ada,${address}`, 'unsubscribed', 'x'], ['Ada', address, 'unsubscribed', 'x']],
])('a refusal counts in a row with wrong quotes, %s', (_, cells, plainCells) => {
  expect(brokenRowOf(cells, plainCells)).toEqual({ address, status: 'unsubscribed', values: [address, ''] })
})

test.each([
  ['calls the person subscribed', ['Ada', address, 'subscribed', 'x']],
  ['has too few cells', ['Ada', address]],
  ['has a surplus cell before the address', ['L', 'Ada', address, 'unsubscribed', 'x']],
])('a row with wrong quotes that %s lets nobody be subscribed', (_, cells) => {
  expect(brokenRowOf(cells)).toEqual({ problem: 'malformed_quotes', address, status: 'unknown' })
})

test('a row without an address names nobody', () => {
  expect(rowOf(['Ada', 'ada@', 'unsubscribed'])).toBe('too_few_cells')
  expect(rowOf(['Ada', 'ada@', 'unsubscribed', 'x', 'y'])).toBe('too_many_cells')
  expect(brokenRowOf(['Ada', 'ada@', 'unsubscribed', 'x'])).toBe('malformed_quotes')
})

test('a row of a file without a column of the status has the default status', () => {
  const map = { email: 'email' }
  const refused = { map, policy: { default_status: 'suppressed' } as const }
  expect(rowOf(['Ada', address], { map })).toEqual({ problem: 'too_few_cells', address, status: 'subscribed' })
  expect(rowOf(['Ada', address, 'x', 'y', 'z'], refused)).toEqual({ address, status: 'suppressed', values: [address] })
})
