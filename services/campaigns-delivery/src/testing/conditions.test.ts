import { describe, expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { requireConfirmation, requireTestable, requireWithinCaps, type TestFacts } from './conditions.ts'

const sender = { domainIsVerified: true, connectionIsActive: true, connectionState: 'verified' }
const good: TestFacts = {
  testSends: 'open',
  workspaceIsArchived: false,
  recipientIsAllowed: true,
  suppressions: [],
  sender,
  hasCredential: true,
  content: { valid: true },
}

function faultOf(work: () => void): Fault | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Fault
  }
}
const judged = (change: Partial<TestFacts>) => faultOf(() => requireTestable({ ...good, ...change }))

test('a test may be sent when all conditions hold', () => expect(judged({})).toBeUndefined())

const broken: [string, Partial<TestFacts>][] = [
  ['sender_identity_id', { sender: undefined }],
  ['content_version_id', { content: undefined }],
  ['content_empty', { content: { valid: false } }],
  ['recipient_not_allowed', { recipientIsAllowed: false }],
  ['recipient_suppressed', { suppressions: ['suppressed_workspace'] }],
  ['test_sends_ceiling', { testSends: 'below_ceiling' }],
  ['test_sends_switch', { testSends: 'switched_off' }],
  ['workspace_archived', { workspaceIsArchived: true }],
  ['domain_not_verified', { sender: { ...sender, domainIsVerified: false } }],
  ['connection_not_verified', { sender: { ...sender, connectionIsActive: false } }],
]

describe('each condition refuses separately, with its own reason and message', () => {
  test.each(broken)('%s', (reason, change) => {
    expect(judged(change)).toBeInstanceOf(Fault)
    expect(judged(change)).toMatchObject({ reason })
  })
  test('all messages are different', () => {
    const messages = broken.map(([, change]) => judged(change)?.message)
    expect(new Set(messages).size).toBe(broken.length)
  })
})

test.each<[Partial<TestFacts>]>([[{ sender: { ...sender, connectionState: 'failed' } }], [{ hasCredential: false }]])(
  'a connection that cannot be used counts as not verified: %j',
  (change) => expect(judged(change)).toMatchObject({ reason: 'connection_not_verified' }),
)

test('a refusal names every scope of the suppression', () => {
  const message = judged({ suppressions: ['suppressed_platform', 'suppressed_audience'] })?.message
  for (const scope of ['suppressed_platform', 'suppressed_audience']) expect(message).toContain(scope)
})

test.each([
  ['test_send', 'SEND TEST EMAIL', true],
  ['test_send', 'RUN CONTROLLED REHEARSAL', false],
  ['rehearsal', 'RUN CONTROLLED REHEARSAL', true],
  ['rehearsal', 'SEND TEST EMAIL', false],
  ['test_send', 'send test email', false],
  ['test_send', 'SEND TEST EMAIL ', false],
  ['test_send', '', false],
] as const)('%s is confirmed by %j: %s', (purpose, given, isConfirmed) =>
  expect(faultOf(() => requireConfirmation(purpose, given)) === undefined).toBe(isConfirmed),
)

test.each([
  [19, 99, undefined],
  [20, 20, 'hourly_cap_reached'],
  [0, 100, 'daily_cap_reached'],
  [20, 100, 'hourly_cap_reached'],
])('after %d in the hour and %d in the day: %s', (hourly, daily, reason) =>
  expect(faultOf(() => requireWithinCaps({ hourly: 20, daily: 100 }, { hourly, daily }))?.reason).toBe(reason),
)
