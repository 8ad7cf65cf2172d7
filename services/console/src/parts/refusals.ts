import { namedSenders } from './can-send-in-words.ts'
import { fieldInWords } from './field-in-words.ts'
import { nobodyCanInWords, whoCanInWords } from './who-can.ts'

interface Refusal {
  /** instead of what the status says */
  title?: string
  /** instead of the words of the API, which name a field or a gate as programs know it */
  words?: string
  /** the page that changes it */
  page?: string
}

const closed = (gate: string): Refusal => ({
  words: `The platform gate for ${gate} is closed. A platform owner or administrator can open it.`,
  page: '/platform/gates',
})

const refusals: Record<string, Refusal> = {
  production_switch: closed('production sending'),
  test_sends_switch: closed('test sends'),
  synthetic_rehearsals_switch: closed('synthetic rehearsals'),
  workspace_sending_disabled: { page: '/sending' },
  connection_not_verified: { page: '/sending' },
  domain_check_outdated: { page: '/sending' },
  domain_not_verified: { page: '/sending' },
  sender_disabled: { page: '/sending' },
  sender_not_ready: { page: '/sending' },
  recipient_suppressed: {
    words: 'This address is suppressed. Suppressed addresses get no email, not even a test. Use another one.',
    page: '/suppressions',
  },
  audience_archived: { words: 'An audience of this campaign is archived. Save a version of the draft without it.' },
  nobody_unknown: {
    words: 'No email of this run is unknown now, or another run sent all of them again. Nothing was sent.',
  },
  contact_suppressed: {
    title: 'This contact cannot be deleted',
    words:
      'It is suppressed or was, as its suppressions on this page show. A contact that was ever suppressed cannot be deleted, also not after somebody resolved that. Erase the person instead.',
  },
  contact_exists: {
    title: 'This contact exists already',
    words:
      'A contact has this address already, and nothing was changed. Find it in the list, and edit its profile on its page.',
  },
  report_checksum: {
    title: 'The report has changed',
    words:
      'Somebody mapped the file again after you opened this. Close it, and read the new report before you approve it.',
  },
  unreachable: {
    words:
      'The service was not reached, or its answer was lost. Check your network, and try again. If you changed something, look first whether it was done.',
  },
  csrf_token: { words: 'This page is older than your session. Reload it, and try again.' },
  campaign_webhook: {
    words: 'Set the URL and the secret of the webhook first: without both nothing is posted.',
    page: '/webhook',
  },
}

/** The refusal to send the unknown of a run again with another number than theirs. */
const otherUnknown = /^The number of recipients whose message is unknown .* is (\d+) now/

interface RefusalInWords {
  title?: string
  /** one for each problem */
  lines: string[]
  /** the page that changes each problem */
  pages?: (string | undefined)[]
  /** the page that changes all of it */
  page?: string | undefined
}

/**
 * A refusal in the words of the console, one line for each problem, and the path of the page that changes it. `inWords` says a problem as
 * the form would.
 */
export function refusalInWords(
  reason: string,
  message: string,
  inWords = (problem: string) => fieldInWords(problem),
): RefusalInWords {
  const unknown = reason === 'count' && otherUnknown.exec(message)?.[1]
  if (unknown)
    return {
      title: 'Another number is unknown now',
      lines: [
        `The number of unknown recipients is now ${unknown}. Type ${unknown} if you mean all of them. Nothing was sent.`,
      ],
    }
  const senders = reason === 'gate_open' ? namedSenders(message) : []
  if (senders.length > 0)
    return {
      title: 'It cannot be approved now, because something can send',
      lines: senders.map(({ words }) => words),
      pages: senders.map(({ page }) => page),
    }
  const nobodyCan = message.includes('archived workspace') && nobodyCanInWords(reason)
  if (nobodyCan) return { lines: [nobodyCan] }
  const whoCan = whoCanInWords(reason)
  if (whoCan) return { lines: [`${whoCan} Ask one of them.`], page: '/team' }
  const refusal = refusals[reason]
  return {
    ...(refusal?.title && { title: refusal.title }),
    lines: refusal?.words ? [refusal.words] : message.split('\n').map((problem) => inWords(problem)),
    page: refusal?.page,
  }
}
