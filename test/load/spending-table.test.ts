import { expect, test } from '@jest/globals'
import { spendingTable, type MeasuredStatement } from './spending-table.ts'

const claim: MeasuredStatement = {
  role: 'campaigns',
  query: `with locked as (
    select id from t for update of t)
    update run_recipients set state = $1 from locked`,
  ms: 20,
  planMs: 8,
  calls: 2,
  rows: 100,
  walBytes: 6_000,
}
const read: MeasuredStatement = {
  role: 'contacts',
  query: 'select 1',
  ms: 5,
  planMs: 0,
  calls: 10,
  rows: 10,
  walBytes: 0,
}

test('statements are sorted by time and have their cost per unit, and a chain of `with` is named by the tables that it writes', () => {
  const lines = spendingTable(
    {
      units: 100,
      walBytes: 9_000,
      statements: new Map([
        ['r', read],
        ['c', claim],
      ]),
      processorMs: new Map([
        ['gateway', 4],
        ['postgres: campaigns', 16],
        ['wallet', 0.2],
      ]),
      tableBytes: new Map([
        ['contacts.contacts', 200_000],
        ['contacts.audiences', 8_192],
        ['campaigns.hand_offs', 300_000],
      ]),
    },
    { name: 'a benchmark', unit: 'message' },
  ).split(/\n +/)
  const words = lines.map((line) => line.trim().split(/ {2,}/))
  expect(words[0]).toEqual(['a benchmark: cost of Lettergate, 100 × message'])
  expect(words[2]).toEqual(['25', '8', '12', '110', '6', '250.0', '60', 'all'])
  expect(words[3]).toEqual(['9', '90', 'all', 'WAL of the whole server'])
  expect(words[4]!.slice(0, 8)).toEqual(['20', '8', '2', '100', '6', '200.0', '60', 'campaigns'])
  expect(words[4]![8]).toMatch(/^update run_recipients: with locked as \( select id/)
  expect(words[5]!.at(-1)).toBe('select 1')
  expect(words.slice(7)).toEqual([
    ['20', '202.0', 'all, idle use included'],
    ['16', '160.0', 'postgres: campaigns'],
    ['4', '40.0', 'gateway'],
    ['kB', 'B/message', 'table, with its indexes'],
    ['508', '5082', 'all'],
    ['300', '3000', 'campaigns.hand_offs'],
    ['200', '2000', 'contacts.contacts'],
  ])
})
