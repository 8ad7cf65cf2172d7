import { counted, inWords } from '../../parts/words.ts'

type Report = Record<string, unknown>

export const numberIn = (report: Report, name: string): number => (typeof report[name] === 'number' ? report[name] : 0)

export interface ReportCount {
  name: string
  title: string
  count: number
  color: string
}

const outcomes: readonly [name: string, title: string, color: string][] = [
  ['consent_to_record', 'Consent is recorded', 'green.7'],
  ['already_subscribed', 'Subscribed already', 'teal.5'],
  ['needs_review', 'Needs a review', 'yellow.6'],
  ['suppressions_to_apply', 'Is suppressed', 'orange.7'],
  ['already_refused', 'Refused email already', 'gray.6'],
  ['blocked_by_suppression', 'Is blocked by a suppression', 'red.5'],
  ['duplicate_rows', 'Same address as another row', 'gray.4'],
  ['rows_invalid', 'Cannot be read', 'red.8'],
]

/** Every row of a file in exactly one count. */
export const rowsOf = (report: Report): ReportCount[] =>
  outcomes.map(([name, title, color]) => ({ name, title, color, count: numberIn(report, name) }))

export const totalsOf = (report: Report) => ({
  rows: numberIn(report, 'rows_total'),
  newContacts: numberIn(report, 'contacts_new'),
  knownContacts: numberIn(report, 'contacts_existing'),
})

/** Each reason with its count and what to change in the file. */
export function reasonsOf(report: Report): { reason: string; count: number; what_to_change: string }[] {
  const reasons = report['reasons']
  return Array.isArray(reasons) ? (reasons as { reason: string; count: number; what_to_change: string }[]) : []
}

/** How far a worker is. */
export function progressOf(report: Report): { phase: string; words: string; percent: number } | undefined {
  const progress = report['progress']
  if (typeof progress !== 'object' || progress === null) return undefined
  const [done, total] = [numberIn(progress as Report, 'rows_done'), numberIn(progress as Report, 'rows_total')]
  const phase = inWords((progress as { phase?: string }).phase ?? '')
  if (total === 0) return { phase, words: counted(done, 'row'), percent: 0 }
  return { phase, words: `${done.toLocaleString('en')} of ${counted(total, 'row')}`, percent: (done / total) * 100 }
}

/** What is compared at the end. “In the tables” is what the contacts have, and “in the record” what the consent record has. */
const reconciled: Record<string, string> = {
  contacts_new: 'New contacts',
  contacts_existing: 'Contacts that existed already',
  contacts_in_tables: 'Contacts in the tables',
  consent_recorded: 'Consents recorded',
  consents_in_record: 'Consents in the record',
  already_subscribed: 'Subscribed already',
  suppressions_applied: 'Unsubscribed or suppressed',
  suppressions_in_record: 'Withdrawals and suppressions in the record',
  already_refused: 'Refused email already',
  blocked_by_suppression: 'Blocked by a suppression',
  needs_review: 'Need a review',
  brought_back: 'Refused people who can get email now',
}

/** What was expected and what was done, count by count. Undefined before the end. */
export function reconciliationOf(
  report: Report,
): { matches: boolean; counts: { name: string; expected: number; actual: number }[] } | undefined {
  const found = report['reconciliation'] as { expected: Report; actual: Report; matches: boolean } | undefined
  if (found === undefined) return undefined
  const names = [...new Set([...Object.keys(found.expected), ...Object.keys(found.actual)])]
  return {
    matches: found.matches,
    counts: names.map((name) => ({
      name: reconciled[name] ?? inWords(name),
      expected: numberIn(found.expected, name),
      actual: numberIn(found.actual, name),
    })),
  }
}
