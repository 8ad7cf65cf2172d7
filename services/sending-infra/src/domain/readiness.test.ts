import { describe, expect, test } from '@jest/globals'
import {
  domainObstacle,
  isCheckCurrent,
  isPassing,
  senderStateOf,
  verificationStateOf,
  type QuotaState,
  type SeenStates,
} from './readiness.ts'

const inOrder = {
  verificationState: 'verified',
  spfState: 'verified',
  dkimState: 'verified',
  dmarcState: 'verified',
  alignmentState: 'aligned',
  webhooksRegistered: true,
} satisfies SeenStates

const wrong: Partial<SeenStates>[] = [
  { verificationState: 'pending' },
  { spfState: 'failed' },
  { dkimState: 'not_checked' },
  { dmarcState: 'failed' },
  { alignmentState: 'misaligned' },
  { alignmentState: 'not_checked' },
  { webhooksRegistered: false },
]

describe('readiness', () => {
  test('a check passes only when everything it sees is in order', () => {
    expect(isPassing(inOrder)).toBe(true)
    for (const one of wrong)
      expect({ one, passing: isPassing({ ...inOrder, ...one }) }).toEqual({ one, passing: false })
  })

  test('every single thing that is wrong keeps a domain from sending, the quota included', () => {
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

  test("the provider's words have one meaning each, and unheard-of ones open nothing", () => {
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
