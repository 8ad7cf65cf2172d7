import type { ConsentPolicy, Import } from '@lettergate/client'
import { counted } from '../../parts/words.ts'
import { defaultStatuses, isDefaultStatus } from './default-status.ts'
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

export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

type Mapped = Pick<Import, 'policy' | 'consent_policy' | 'report'>

/** The evidence that a policy has, each text with its name. */
export const evidenceOf = ({ policy }: Pick<Import, 'policy'>): [name: string, text: string][] =>
  evidence.map(([key, name]): [string, string] => [name, textOf(policy[key])]).filter(([, text]) => text !== '')

/** What rows without a status mean, if the policy says it. */
export function statusOfRows({ policy, consent_policy }: Omit<Mapped, 'report'>): string | undefined {
  const status = policy['default_status']
  if (!isDefaultStatus(status) || status === '') return undefined
  return status === 'subscribed' && consent_policy === 'status_column'
    ? 'Nothing: an empty cell is never consent'
    : defaultStatuses[status]
}

/** What follows from an approval for the people in the file, short enough for a dialog. */
export function approvalInWords({ consent_policy, policy, report }: Mapped, audience: string): string[] {
  const [subscribed, suppressed] = [numberIn(report, 'consent_to_record'), numberIn(report, 'suppressions_to_apply')]
  const proofs = evidenceOf({ policy }).map(([, text]) => text)
  const are = (count: number) => `${counted(count, 'person', 'people')} ${count === 1 ? 'is' : 'are'}`
  return [
    `The audience is “${audience}”.`,
    ...(consent_policy ? [`${policies[consent_policy]}.`] : []),
    ...(proofs.length > 0 ? [`The evidence: ${proofs.join(' · ')}`] : []),
    subscribed === 0 ? 'This import subscribes nobody.' : `${are(subscribed)} subscribed.`,
    ...(suppressed === 0 ? [] : [`${are(suppressed)} suppressed.`]),
  ]
}
