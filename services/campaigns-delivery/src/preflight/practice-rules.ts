import type { PreflightFacts } from './preflight-facts.ts'
import { unread, type CheckResult, type Rule } from './rule.ts'

const day = 86_400_000
const testSendMaxAgeDays = 7
const rehearsalMaxAgeDays = 30

/** What a careful sender has done before a launch. Each warns. */
export const practiceRules: readonly Rule[] = [
  { code: 'unsubscribe_link', label: 'Unsubscribe link', otherwise: 'warn', find: unsubscribeLink },
  { code: 'recent_test_send', label: 'Recent test send', otherwise: 'warn', find: recentTestSend },
  { code: 'verified_rehearsal', label: 'Verified rehearsal', otherwise: 'warn', find: verifiedRehearsal },
  { code: 'import_in_progress', label: 'Imports in progress', otherwise: 'warn', find: importInProgress },
]

/** Mail clients use the one-click link of an email only over HTTPS (RFC 8058). */
function unsubscribeLink({ oneClickUrl, draftsWithoutLink }: PreflightFacts): CheckResult {
  if (oneClickUrl === undefined) return unread('contacts-consent')
  const isHttps = oneClickUrl.startsWith('https://')
  const drafts = draftsWithoutLink.map(({ id }) => id)
  const problems = [
    ...(isHttps ? [] : ['The one-click link does not use HTTPS.']),
    ...(drafts.length === 0
      ? []
      : [`Campaigns without a visible unsubscribe link in their content: ${drafts.length}.`]),
  ]
  const remediations = [
    ...(isHttps ? [] : ['Set BASE_URL of contacts-consent to an https address.']),
    ...(drafts.length === 0 ? [] : ['Append draft versions whose content has {{ unsubscribe_url }}.']),
  ]
  return {
    holds: problems.length === 0,
    detail: problems.length === 0 ? 'Every draft shows an unsubscribe link, and links use HTTPS.' : problems.join(' '),
    evidence: { one_click_is_https: isHttps, campaigns_without_link: drafts },
    remediation: remediations.join(' '),
  }
}

function recentTestSend({ testSend, now }: PreflightFacts): CheckResult {
  const isRecent = testSend !== undefined && isWithin(testSend.createdAt, now, testSendMaxAgeDays)
  return {
    holds: isRecent,
    detail:
      testSend === undefined
        ? 'The provider has accepted no test send of this workspace.'
        : `The provider accepted the newest test send, of ${testSend.createdAt.toISOString()}.`,
    evidence:
      testSend === undefined
        ? { test_send_id: null }
        : { test_send_id: testSend.id, state: testSend.state, created_at: testSend.createdAt.toISOString() },
    remediation: `Send a test. It counts for ${testSendMaxAgeDays} days.`,
  }
}

function verifiedRehearsal({ rehearsal, now }: PreflightFacts): CheckResult {
  const isRecent = rehearsal !== undefined && isWithin(rehearsal.verifiedAt, now, rehearsalMaxAgeDays)
  return {
    holds: isRecent,
    detail:
      rehearsal === undefined
        ? 'No controlled rehearsal of this workspace was verified.'
        : `The newest verified rehearsal is of ${rehearsal.verifiedAt.toISOString()}.`,
    evidence:
      rehearsal === undefined
        ? { rehearsal_id: null }
        : { rehearsal_id: rehearsal.id, verified_at: rehearsal.verifiedAt.toISOString() },
    remediation: `Run a controlled rehearsal and wait until its events have verified it. It counts for ${rehearsalMaxAgeDays} days.`,
  }
}

function importInProgress({ openImports }: PreflightFacts): CheckResult {
  if (!openImports) return unread('imports')
  return {
    holds: openImports.length === 0,
    detail:
      openImports.length === 0
        ? 'No import is in progress.'
        : 'Imports are in progress. A snapshot holds only the contacts that exist when it is built.',
    evidence: { imports: openImports.map(({ id, status }) => ({ id, status })) },
    remediation: 'Wait until the imports have ended, or cancel them.',
  }
}

const isWithin = (at: Date, now: Date, days: number): boolean => now.getTime() - at.getTime() <= days * day
