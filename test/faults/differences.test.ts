import { expect, test } from '@jest/globals'
import { differences, expectedReport, type Findings, type Listed, type Mailed } from './differences.ts'

const mailed: Mailed[] = [
  { address: 'a@example.test', messageId: 'm-a', events: ['accepted', 'delivered', 'opened'] },
  { address: 'B@Example.test', messageId: 'm-b', events: ['accepted', 'permanent_fail'] },
  { address: 'c@example.test', messageId: 'm-c', events: ['accepted', 'temporary_fail'] },
]
const listed: Listed[] = [
  { address: 'a@example.test', messageId: 'm-a', state: 'delivered' },
  { address: 'b@example.test', messageId: 'm-b', state: 'hard_bounced' },
  { address: 'c@example.test', messageId: 'm-c', state: 'soft_failed' },
  { address: 'd@example.test', messageId: 'm-d', state: 'unknown' },
]
const included = listed.map(({ address }) => address)
const well: Findings = { included, mailed, listed, report: expectedReport(mailed, listed) }
const listedAs = (state: string, address: string) =>
  listed.map((row) => (row.address === address ? { ...row, state } : row))

test('a run in which every recipient has a message or a final state, with a correct report, has no differences', () => {
  expect(differences(well)).toEqual([])
  expect(well.report).toMatchObject({
    sent: 3,
    delivered: 1,
    hard_bounced: 1,
    soft_failed_only: 1,
    no_terminal_event: 0,
    opened_recipients: 1,
    unknown: 1,
    'events.accepted': 3,
    'events.failed': 2,
  })
})

test('an address with two messages is found in every notation', () => {
  const again = [...mailed, { address: 'b@example.test', messageId: 'm-x', events: ['accepted'] }]
  expect(differences({ ...well, mailed: again })).toContain('b@example.test was mailed 2 times: m-b, m-x')
})

test('a message to an address that is not a recipient is found', () => {
  const more = [...mailed, { address: 'x@example.test', messageId: 'm-x', events: ['accepted'] }]
  expect(differences({ ...well, mailed: more })).toContain('x@example.test was mailed and is not a recipient')
})

test.each(['pending', 'claimed', 'accepted', 'delivered'])(
  'somebody never mailed and listed as %s is lost',
  (state) => {
    const rows = listedAs(state, 'd@example.test')
    const report = expectedReport(mailed, rows)
    expect(differences({ ...well, listed: rows, report })).toEqual([
      `d@example.test is lost: never mailed, and listed as ${state}`,
    ])
  },
)

test('a recipient who is missing in the list, or is in it twice, is found', () => {
  expect(differences({ ...well, listed: listed.slice(1) })).toEqual(['a@example.test is not in the recipient list'])
  expect(differences({ ...well, listed: [...listed, listed[0]!] })).toEqual(['a@example.test is listed 2 times'])
})

test.each(['unknown', 'skipped', 'failed', 'pending'])(
  'somebody who was mailed and is listed as %s is found',
  (state) => {
    const rows = listedAs(state, 'a@example.test')
    const report = expectedReport(mailed, rows)
    expect(differences({ ...well, listed: rows, report })).toEqual([
      `a@example.test was mailed and is listed as ${state}`,
    ])
  },
)

test('a report that differs from the ledger is found', () => {
  const report = { ...well.report, delivered: 2, 'events.accepted': undefined }
  expect(differences({ ...well, report })).toEqual([
    "the report's delivered is 2, and it should be 1",
    "the report's events.accepted is undefined, and it should be 3",
  ])
})
