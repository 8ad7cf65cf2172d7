import { expect, test } from '@jest/globals'
import { blockedBy, parseReason, parseScope, requireAudienceForScope, suppressionReasons } from './suppression.ts'

test('unknown scopes and reasons are refused with the name of the field', () => {
  for (const reason of suppressionReasons) expect(parseReason(reason)).toBe(reason)
  expect(() => parseReason('mood')).toThrow(expect.objectContaining({ reason: 'reason' }))
  expect(() => parseScope('planet')).toThrow(expect.objectContaining({ reason: 'scope' }))
})

test('an audience is required with the audience scope and refused with the other scopes', () => {
  expect(requireAudienceForScope('audience', 'a')).toBe('a')
  expect(requireAudienceForScope('workspace', undefined)).toBeNull()
  expect(() => requireAudienceForScope('audience', undefined)).toThrow(
    expect.objectContaining({ reason: 'audience_id' }),
  )
  expect(() => requireAudienceForScope('platform', 'a')).toThrow(expect.objectContaining({ reason: 'audience_id' }))
})

test('the refusal has the scope, the reason and the id to resolve, but no id of a platform suppression', () => {
  expect(blockedBy({ scope: 'workspace', reason: 'complaint', suppressionId: 'S1' }).message).toMatch(
    /workspace.*complaint.*S1/,
  )
  expect(blockedBy({ scope: 'platform', reason: 'legal', suppressionId: null }).message).toMatch(/platform.*legal/)
})
