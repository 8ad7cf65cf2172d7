import { expect, test } from '@jest/globals'
import { isUnsettled, unsettledEmail } from './unsettled-email.ts'

test.each([
  ['under_way', { outcome: 'unknown', reasons: ['under_way'], messageId: 'step' }],
  // nobody knows whether there is a message
  ['delivery_unavailable', { outcome: 'unknown', reasons: ['delivery_unavailable'] }],
  ['deadline', { outcome: 'unknown', reasons: ['deadline'] }],
])('an email that waits because of %s may be sent', (reason, recorded) => {
  expect(isUnsettled(reason)).toBe(true)
  expect(unsettledEmail('step', reason)).toEqual({ nodeType: 'send_email', ...recorded })
})

test.each([null, 'production_sending_enabled', 'workspace_sending', 'cooldown', 'contacts_unavailable'])(
  'an email that waits because of %s is not sent',
  (reason) => {
    expect(isUnsettled(reason)).toBe(false)
    expect(unsettledEmail('step', reason)).toBeUndefined()
  },
)
