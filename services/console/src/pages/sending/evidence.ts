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

const lowerWords = (value: unknown): string => inWords(textOf(value)).toLowerCase()

const isValueOrList = (value: unknown) =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.every(isValueOrList))

/** “registered: opened, clicked; missing: none” or “state: active”: each name with its values, instead of JSON. */
const namedValues = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const named = Object.entries(value)
  if (!named.every(([, one]) => isValueOrList(one))) return undefined
  return named
    .map(([name, one]) => `${lowerWords(name)}: ${[one].flat().map(lowerWords).join(', ') || 'none'}`)
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
      found: Array.isArray(answer) ? answer.map(textOf).join('; ') : (namedValues(answer) ?? textOf(answer)),
      detail: textOf(detail),
    }))

/** Whether a text is a value that somebody may copy, such as a record, a domain or an address, and not words about it. */
export const isValue = (text: string): boolean => /^[a-z]=|^\S+[.:]\S+$/.test(text)

/** `spf` → “SPF”, `alignment` → “Alignment”. */
export const subjectInWords = (subject: string): string =>
  ['spf', 'dkim', 'dmarc', 'mx'].includes(subject) ? subject.toUpperCase() : inWords(subject)
