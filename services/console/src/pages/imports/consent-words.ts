import type { ConsentPolicy, Import } from '@lettergate/client'
import type { FieldLabels } from '../../parts/field-in-words.ts'
import { counted } from '../../parts/words.ts'
import { consequenceOf, defaultStatuses, isDefaultStatus } from './default-status.ts'
import { firstOf, type ColumnsInWords } from './mapped-columns.ts'
import { numberIn } from './report.ts'

/** What a file can prove. */
export const policies: Record<ConsentPolicy, string> = {
  review_required: 'Nobody is subscribed: a person reviews each consent afterwards',
  explicit_opt_in: 'Everybody in the file agreed, and there is evidence',
  status_column: 'A column says who is subscribed, and there is evidence',
}

/** The texts of a policy that are the evidence, in the order in which people read them. */
export const evidence = [
  ['consent_basis', 'Basis of the consent', 'Such as: double opt-in on the website.'],
  ['consent_source', 'Where it was given', 'Such as: https://www.example.org/newsletter.'],
  ['wording_version', 'Version of the wording', 'Such as: footer-2026-01.'],
  ['evidence_reference', 'Where the evidence is kept', 'Such as: export 4711 of the old system.'],
] as const

export const statusValuesLabel = 'What the cells of the status mean'

/** What the form of a mapping calls the keys and values of a policy. */
export const policyLabels: FieldLabels = {
  ...Object.fromEntries(evidence.map(([key, name]) => [key, name])),
  ...Object.fromEntries(Object.entries(policies).map(([policy, words]) => [policy, `“${words}”`])),
  status_values: statusValuesLabel,
  static_tags: 'Tags for every contact',
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

type Mapped = Pick<Import, 'policy' | 'consent_policy' | 'report'>

/**
 * The evidence that a policy has, each text with its name. Nothing if a report says that it is evidence of no consent: nobody is
 * subscribed, and no consent waits for a review.
 */
export function evidenceOf({
  policy,
  report,
  report_checksum,
}: Pick<Import, 'policy' | 'report' | 'report_checksum'>): [name: string, text: string][] {
  const isUsed =
    report_checksum === null || numberIn(report, 'consent_to_record') > 0 || numberIn(report, 'needs_review') > 0
  if (!isUsed) return []
  return evidence.map(([key, name]): [string, string] => [name, textOf(policy[key])]).filter(([, text]) => text !== '')
}

/** The tags that an import gives to every contact. */
export const tagsOf = ({ policy }: Pick<Import, 'policy'>): string[] =>
  Array.isArray(policy['static_tags']) ? policy['static_tags'].map(String) : []

type Approvable = Mapped & Pick<Import, 'report_checksum'>

/** What rows without a status mean, if the policy says it. */
export function statusOfRows({ policy, consent_policy }: Omit<Mapped, 'report'>): string | undefined {
  const status = policy['default_status']
  if (!isDefaultStatus(status) || status === '') return undefined
  return status === 'subscribed' && consent_policy === 'status_column'
    ? 'Nothing: an empty cell is never consent'
    : defaultStatuses[status]
}

/** What follows from an approval for the people in the file, short enough for a dialog. */
export function approvalInWords(job: Approvable, audience: string, { used, leftOut }: ColumnsInWords): string[] {
  const { consent_policy, policy, report } = job
  const [subscribed, suppressed, waiting] = ['consent_to_record', 'suppressions_to_apply', 'needs_review'].map((name) =>
    numberIn(report, name),
  ) as [number, number, number]
  const proofs = evidenceOf(job).map(([, text]) => text)
  const tags = tagsOf(job)
  const isReviewed = consent_policy === 'review_required' && waiting === 0
  const status = policy['default_status']
  const leave = consent_policy && (status === 'unsubscribed' || status === 'suppressed')
  const are = (count: number) => `${counted(count, 'person', 'people')} ${count === 1 ? 'is' : 'are'}`
  return [
    `The audience is “${audience}”.`,
    ...(tags.length > 0
      ? [`Every contact gets the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.map((tag) => `“${tag}”`).join(', ')}.`]
      : []),
    ...(consent_policy && !isReviewed ? [`${policies[consent_policy]}.`] : []),
    ...(proofs.length > 0 ? [`The evidence: ${proofs.join(' · ')}`] : []),
    subscribed === 0 ? 'This import subscribes nobody.' : `${are(subscribed)} subscribed.`,
    ...(leave
      ? [`Rows without a status: ${consequenceOf({ status, policy: consent_policy, hasStatusColumn: true })}`]
      : []),
    ...(suppressed === 0 ? [] : [`${are(suppressed)} unsubscribed or suppressed.`]),
    ...(waiting === 0 ? [] : [`${counted(waiting, 'row')} ${waiting === 1 ? 'goes' : 'go'} under review.`]),
    `The columns: ${firstOf(used.map(({ label, target }) => `${label} → ${target}`))}.`,
    ...(leftOut.length > 0 ? [`Left out: ${firstOf(leftOut)}.`] : []),
  ]
}
