import { expect, test } from '@jest/globals'
import { decideRow, unknownAddress, type RowFacts, type RowState } from './row-outcome.ts'

const decide = (status: RowFacts['status'], state: Partial<RowState> = {}, facts: Partial<RowFacts> = {}) => {
  const { outcome, contact, reasons } = decideRow(
    'status_column',
    { ...unknownAddress, ...state },
    { status, problems: [], tagIds: [], ...facts },
  )
  return [outcome, contact, ...reasons].join(' ')
}
const known = { contactId: 'c' }

test('a suppression takes precedence over every doubt, and a doubt over consent', () => {
  const doubtful = { ...known, isWithdrawn: true, isUnderReview: true, isUnverifiedLegacy: true, isMember: true }
  expect(decide('subscribed', { ...doubtful, isWorkspaceSuppressed: true })).toBe(
    'blocked_by_suppression  suppressed_workspace',
  )
  expect(decide('subscribed', doubtful)).toBe(
    'needs_review existing consent_withdrawn consent_under_review legacy_consent_unverified',
  )
  expect(decide('subscribed', { ...known, isMember: true })).toBe('already_subscribed existing')
})

test('every block is named, the erasure first', () => {
  const blocked = {
    isErased: true,
    isPlatformSuppressed: true,
    isWorkspaceSuppressed: true,
    isAudienceSuppressed: true,
  }
  expect(decide('pending', blocked)).toBe(
    'blocked_by_suppression  erased suppressed_platform suppressed_workspace suppressed_audience',
  )
})

test('a refusal is applied whatever else blocks the person, except after an erasure', () => {
  const blocked = { ...known, isPlatformSuppressed: true, isAudienceSuppressed: true }
  expect(decide('suppressed', blocked)).toBe('suppressed existing')
  expect(decide('unsubscribed', blocked)).toBe('withdrawn existing')
  expect(decide('suppressed', { isErased: true })).toBe('blocked_by_suppression  erased')
})

test('a value that cannot be stored refuses a row, and not a refusal of mail', () => {
  const bad = { problems: ['phone_too_long'] }
  expect(decide('subscribed', known, bad)).toBe('refused  phone_too_long')
  expect(decide('', {}, bad)).toBe('refused  phone_too_long')
  expect(decide('suppressed', {}, bad)).toBe('suppressed new phone_too_long')
  expect(decide('suppressed', {}, { problems: ['email_invalid'] })).toBe('refused  email_invalid')
})

test('the limit of tags counts the tags that the contact has not', () => {
  const tagIds = Array.from({ length: 48 }, (_, n) => `t${n}`)
  const full = { ...known, tagIds }
  expect(decide('subscribed', full, { tagIds: ['t0', 'a', null] })).toBe('consent_recorded existing')
  expect(decide('subscribed', full, { tagIds: ['a', 'b', null] })).toBe('consent_recorded existing too_many_tags')
})
