import { expect, test } from '@jest/globals'
import { blockedBy, parseReason, parseScope, requireAudienceForScope, suppressionReasons } from './suppression.ts'

test('scopes and reasons outside the vocabulary are refused and named', () => {
  for (const reason of suppressionReasons) expect(parseReason(reason)).toBe(reason)
  expect(() => parseReason('mood')).toThrow(expect.objectContaining({ reason: 'reason' }))
  expect(() => parseScope('planet')).toThrow(expect.objectContaining({ reason: 'scope' }))
})

test('an audience is required with the audience scope and refused beside the others', () => {
  expect(requireAudienceForScope('audience', 'a')).toBe('a')
  expect(requireAudienceForScope('workspace', undefined)).toBeNull()
  expect(() => requireAudienceForScope('audience', undefined)).toThrow(
    expect.objectContaining({ reason: 'audience_id' }),
  )
  expect(() => requireAudienceForScope('platform', 'a')).toThrow(expect.objectContaining({ reason: 'audience_id' }))
})

test('the refusal names scope, reason and what to resolve, but no id of a platform suppression', () => {
  expect(blockedBy({ scope: 'workspace', reason: 'complaint', suppressionId: 'S1' }).message).toMatch(
    /workspace.*complaint.*S1/,
  )
  expect(blockedBy({ scope: 'platform', reason: 'legal', suppressionId: null }).message).toMatch(/platform.*legal/)
})
