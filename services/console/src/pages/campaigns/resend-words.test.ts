import { expect, test } from '@jest/globals'
import type { CampaignReport, CampaignReportResponse, CampaignRun } from '@lettergate/client'
import { resendInWords } from './resend-words.ts'

const pausedBy = { rule: 'complaint_rate', settled: 100, count: 2, rate: 2, limit: 0.3 } as const
const resend = (state: CampaignRun['state'], report: Partial<CampaignReport> = {}) =>
  ({
    campaign_run: { state, included_count: 8 },
    report: { sent: 0, unknown: 0, skipped: 0, failed: 0, held_by: null, paused_by: null, ...report },
  }) as CampaignReportResponse

test.each<[CampaignReportResponse, string]>([
  [resend('scheduled'), 'is scheduled, and begins by itself. It sent nothing yet.'],
  [resend('paused'), 'is paused. It sent nothing yet.'],
  [resend('paused', { sent: 3, paused_by: pausedBy }), 'paused itself. It sent 3 of 8 emails.'],
  [
    resend('sending', { held_by: 'production_sending_enabled' }),
    'is held: production sending is closed. It sent nothing yet.',
  ],
  [resend('sending', { sent: 3 }), 'is sending. It sent 3 of 8 emails.'],
  [resend('sending', { sent: 3, unknown: 2 }), 'is sending. It sent 3 of 8 emails, and 2 are unknown in it too.'],
])('a resend under way that holds every recipient, %j, says: %s', (newest, words) => {
  expect(resendInWords(newest, { resendable: 0, resent: 8 })).toBe(`The newest run that sends them again ${words}`)
})

test.each<[CampaignReportResponse, { resendable: number; resent: number }, string]>([
  [resend('completed', { sent: 8 }), { resendable: 0, resent: 8 }, 'has ended. They were sent again.'],
  [
    resend('completed', { sent: 6, skipped: 2 }),
    { resendable: 2, resent: 6 },
    'has ended. Some of them were sent again.',
  ],
  [
    resend('cancelled', { skipped: 8 }),
    { resendable: 8, resent: 0 },
    'was cancelled. None of them was sent again yet.',
  ],
  [resend('failed', { failed: 8 }), { resendable: 8, resent: 0 }, 'failed. None of them was sent again yet.'],
  [
    resend('completed', { unknown: 8 }),
    { resendable: 0, resent: 8 },
    'has ended. 8 emails of it are unknown too, and can be sent again on its page.',
  ],
])('a resend that is over, %j, with %j says: %s', (newest, numbers, words) => {
  expect(resendInWords(newest, numbers)).toBe(`The newest run that sends them again ${words}`)
})

test('a resend that was cancelled a moment ago reached nobody, although the numbers do not say so yet', () => {
  expect(resendInWords(resend('cancelled'), { resendable: 0, resent: 8 })).toBe(
    'The newest run that sends them again was cancelled. It sent nothing.',
  )
})

test('a resend that is over says nothing about its recipients before their numbers are read', () => {
  expect(resendInWords(resend('completed', { sent: 8 }), undefined)).toBe(
    'The newest run that sends them again has ended.',
  )
})
