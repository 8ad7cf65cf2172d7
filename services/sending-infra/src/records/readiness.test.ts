import { describe, expect, test } from '@jest/globals'
import {
  domainObstacle,
  isCheckCurrent,
  isPassing,
  senderStateOf,
  verificationStateOf,
  type QuotaState,
  type CheckedStates,
} from './readiness.ts'

const inOrder = {
  verificationState: 'verified',
  spfState: 'verified',
  dkimState: 'verified',
  dmarcState: 'verified',
  alignmentState: 'aligned',
  webhooksRegistered: true,
} satisfies CheckedStates

const wrong: Partial<CheckedStates>[] = [
  { verificationState: 'pending' },
  { spfState: 'failed' },
  { dkimState: 'not_checked' },
  { dmarcState: 'failed' },
  { alignmentState: 'misaligned' },
  { alignmentState: 'not_checked' },
  { webhooksRegistered: false },
]

describe('readiness', () => {
  test('a check passes only if all checked states are in order', () => {
    expect(isPassing(inOrder)).toBe(true)
    for (const one of wrong)
      expect({ one, passing: isPassing({ ...inOrder, ...one }) }).toEqual({ one, passing: false })
  })

  test('any wrong state prevents a domain from sending, including the quota', () => {
    const domain = { ...inOrder, quotaState: 'approved' as QuotaState, isReady: true }
    expect(domainObstacle(domain, true)).toBeUndefined()
    expect(domainObstacle(domain, false)).toMatch(/too old/)
    for (const one of [...wrong, { quotaState: 'insufficient' as const }, { quotaState: 'not_checked' as const }]) {
      expect(domainObstacle({ ...domain, ...one }, true)).toMatch(
        /^The sending domain is not ready: .+ is not in order\.$/,
      )
    }
  })

  test.each([
    [23.99, true, true],
    [24, true, false],
    [1, false, false],
  ])('a check of %s hours ago that passed (%s) counts: %s', (hours, lastCheckPassed, counts) => {
    const now = new Date('2026-11-21T12:00:00Z')
    expect(isCheckCurrent({ lastCheckPassed, checkedAt: new Date(now.getTime() - hours * 3_600_000) }, now, 24)).toBe(
      counts,
    )
  })

  test('a domain that was never checked has no current check', () => {
    expect(isCheckCurrent({ lastCheckPassed: true, checkedAt: null }, new Date(), 24)).toBe(false)
  })

  test('each state of the provider maps to one state, and unknown states allow nothing', () => {
    expect(['active', 'unverified', 'disabled', 'ACTIVE', ''].map(verificationStateOf)).toEqual([
      'verified',
      'pending',
      'failed',
      'failed',
      'failed',
    ])
    expect((['not_checked', 'pending', 'verified', 'failed'] as const).map(senderStateOf)).toEqual([
      'pending',
      'pending',
      'verified',
      'failed',
    ])
  })
})
