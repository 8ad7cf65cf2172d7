import { inWords } from '../../parts/words.ts'

export interface SubjectEvidence {
  subject: string
  verdict: string
  expected: string
  found: string
  detail: string
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** “registered: opened, clicked; missing: none”: a list for each name, instead of JSON. */
const listsOf = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const lists = Object.entries(value)
  if (!lists.every(([, list]) => Array.isArray(list))) return undefined
  return lists
    .map(
      ([name, list]) =>
        `${name}: ${(list as unknown[]).map((one) => inWords(textOf(one)).toLowerCase()).join(', ') || 'none'}`,
    )
    .join('; ')
}

/** What a check found about each subject, with the answer in one line. */
export const evidenceOf = (evidence: Record<string, unknown>): SubjectEvidence[] =>
  Object.entries(evidence)
    .filter((entry): entry is [string, Record<string, unknown>] => typeof entry[1] === 'object' && entry[1] !== null)
    .map(([subject, { verdict, expected, answer, detail }]) => ({
      subject,
      verdict: textOf(verdict) || 'unknown',
      expected: textOf(expected),
      found: Array.isArray(answer) ? answer.map(textOf).join('; ') : (listsOf(answer) ?? textOf(answer)),
      detail: textOf(detail),
    }))

/** `spf` → “SPF”, `alignment` → “Alignment”. */
export const subjectInWords = (subject: string): string =>
  ['spf', 'dkim', 'dmarc', 'mx'].includes(subject) ? subject.toUpperCase() : inWords(subject)
