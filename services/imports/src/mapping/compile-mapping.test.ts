import { expect, test } from '@jest/globals'
import { compileMapping as compile } from './compile-mapping.ts'

const compileMapping = (
  job: Omit<Parameters<typeof compile>[0], 'consent_policy'> & Partial<Parameters<typeof compile>[0]>,
) => compile({ consent_policy: 'explicit_opt_in', ...job })

const headers = ['Name', 'Email', 'Tags', 'State', 'Since', 'Plan', 'Other tags']
const all = {
  Name: 'first_name',
  Email: 'email',
  Tags: 'tags',
  '#7': 'tags',
  State: 'status',
  Since: 'captured_at',
  Plan: 'custom.plan',
}

test('a row has one trimmed value for each target, the address first', () => {
  const { targets, mapRow } = compileMapping({ headers, mapping: all, policy: {} })
  expect(targets).toEqual(['email', 'first_name', 'custom.plan', 'tags', 'captured_at'])
  expect(mapRow([' Ada ', ' Ada@BÜCHER.example ', 'a; b', ' Subscribed', '2026-03-31', 'gold', 'c'])).toEqual({
    address: 'ada@xn--bcher-kva.example',
    status: 'subscribed',
    values: ['Ada@BÜCHER.example', 'Ada', 'gold', 'a;b;c', '2026-03-31T00:00:00Z'],
  })
})

test('columns without a target and ignored columns are not read', () => {
  const { targets, mapRow } = compileMapping({ headers, mapping: { Email: 'email', Name: 'ignore' }, policy: {} })
  expect(targets).toEqual(['email'])
  expect(mapRow(['Ada', 'ada@example.com', 'a', 'b', 'c', 'd', 'e'])).toEqual({
    address: 'ada@example.com',
    status: 'subscribed',
    values: ['ada@example.com'],
  })
})

const rowWith = (email: string, status: string, since = '') => ['', email, '', status, since, '', '']

test.each([
  ['email_missing', rowWith(' ', 'subscribed')],
  ['email_invalid', rowWith('ada@', 'subscribed')],
])('a row is invalid for the reason %s', (reason, cells) => {
  expect(compileMapping({ headers, mapping: all, policy: {} }).mapRow(cells)).toBe(reason)
})

test('a row that cannot be used says for which address, and what it says of it', () => {
  const { mapRow } = compileMapping({ headers, mapping: all, policy: {} })
  const address = 'ada@example.com'
  expect(mapRow(rowWith('Ada@Example.com', 'perhaps'))).toEqual({
    problem: 'status_unknown',
    address,
    status: 'unknown',
  })
  expect(mapRow(rowWith(address, '', 'soon'))).toEqual({ problem: 'captured_at_invalid', address, status: '' })
  // The cell of the status is empty because it was damaged.
  expect(mapRow(rowWith(address, ''), [3])).toEqual({ problem: 'status_unknown', address, status: 'unknown' })
  expect(mapRow(rowWith(address, 'pending'), [0])).toMatchObject({ address, status: 'pending' })
})

test.each(['unsubscribed', 'suppressed'] as const)(
  'an address that is %s counts, also with a time that cannot be read',
  (status) => {
    const { targets, mapRow } = compileMapping({ headers, mapping: all, policy: {} })
    const row = mapRow(rowWith('ada@example.com', status, 'soon'))
    expect(row).toMatchObject({ address: 'ada@example.com', status })
    expect(typeof row === 'object' && 'values' in row && row.values[targets.indexOf('captured_at')]).toBe('')
  },
)

test('the policy says what cells of the status mean, without case and spaces, and the status of empty ones', () => {
  const { mapRow } = compileMapping({
    headers,
    mapping: all,
    policy: {
      default_status: 'pending',
      status_values: { Cleaned: 'suppressed', active: 'subscribed', ' ': 'unsubscribed' },
    },
  })
  const statusOf = (cell: string) => {
    const row = mapRow(rowWith('ada@example.com', cell))
    return typeof row === 'string' ? row : row.status
  }
  expect(['cleaned ', 'ACTIVE', 'unsubscribed', '  ', 'bounced'].map(statusOf)).toEqual([
    'suppressed',
    'subscribed',
    'unsubscribed',
    'unsubscribed',
    'unknown',
  ])
})

test.each([{ default_status: 'subscribed' as const }, { status_values: { ' ': 'subscribed' as const } }])(
  'an empty cell is no subscription if the column of the status is the consent: %j',
  (policy) => {
    const statusWith = (consentPolicy: 'status_column' | 'explicit_opt_in', cell: string) =>
      compileMapping({ headers, mapping: all, policy, consent_policy: consentPolicy }).mapRow(
        rowWith('ada@example.com', cell),
      )
    expect(statusWith('status_column', ' ')).toMatchObject({ status: '' })
    expect(statusWith('status_column', 'subscribed')).toMatchObject({ status: 'subscribed' })
    expect(statusWith('explicit_opt_in', ' ')).toMatchObject({ status: 'subscribed' })
  },
)

test('without a column of statuses every row has the default status', () => {
  const mapping = { Email: 'email' }
  const { mapRow } = compileMapping({ headers, mapping, policy: { default_status: 'unsubscribed' } })
  expect(mapRow(rowWith('ada@example.com', 'subscribed'))).toMatchObject({ status: 'unsubscribed' })
  const withColumn = compileMapping({ headers, mapping: all, policy: {} })
  expect(withColumn.mapRow(rowWith('ada@example.com', ' '))).toMatchObject({ status: '' })
})
