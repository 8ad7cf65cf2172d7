import type { SyntheticRehearsal } from '@lettergate/client'
import type { CheckedCondition } from '../../parts/conditions-list.tsx'
import { spanOf } from '../../parts/duration.ts'
import { counted } from '../../parts/words.ts'

/** The report of a rehearsal that ran to its end (docs/sending.md). */
interface CapacityReport {
  recipients: { eligible: number; excluded: number; exclusion_counts: Record<string, number> }
  crashes: { before_intent: number; after_intent: number }
  stages: readonly { name: string; recipients: number; milliseconds: number; recipients_per_second: number | null }[]
  prediction: {
    basis: 'recent_runs' | 'rehearsal'
    runs: number
    total_seconds: number
    at_least_seconds: number
    at_most_seconds: number
    within_target: boolean
  }
  remaining_rows: number
}

/** The report, or undefined for one of a rehearsal that has not run to its end. */
export const capacityReportOf = ({ report }: Pick<SyntheticRehearsal, 'report'>): CapacityReport | undefined =>
  'prediction' in report ? (report as unknown as CapacityReport) : undefined

/** Each stage in words, and whether a real run has it. */
const stagesInWords: Record<string, { title: string; isReal: boolean }> = {
  contacts: { title: 'Write the recipients who do not exist', isReal: false },
  eligibility: { title: 'Decide who may be mailed', isReal: true },
  snapshot: { title: 'Store the list of recipients', isReal: true },
  claim: { title: 'Take the next recipients', isReal: true },
  delivery_check: { title: 'Decide again, before the hand-off', isReal: true },
  request: { title: 'Build the email for the provider', isReal: true },
  settle: { title: 'Store the result', isReal: true },
  recovery: { title: 'Find what crashed workers left', isReal: false },
}

/** A stage with its share of the time that a recipient takes; null for a stage that a real run does not have. */
export interface CapacityStage {
  name: string
  title: string
  recipients: number
  milliseconds: number
  perSecond: number | null
  share: number | null
}

/** The stages in the order of a run. Shares are of the time for each recipient, because recovery takes recipients from some stages. */
export function capacityStagesOf({ stages }: Pick<CapacityReport, 'stages'>): CapacityStage[] {
  const order = Object.keys(stagesInWords)
  const each = (stage: { recipients: number; milliseconds: number }) =>
    stage.recipients === 0 ? 0 : stage.milliseconds / stage.recipients
  const isReal = ({ name }: { name: string }) => stagesInWords[name]?.isReal ?? false
  const whole = stages.filter(isReal).reduce((sum, stage) => sum + each(stage), 0)
  return stages
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
    .map((stage) => ({
      name: stage.name,
      title: stagesInWords[stage.name]?.title ?? stage.name,
      recipients: stage.recipients,
      milliseconds: stage.milliseconds,
      perSecond: stage.recipients_per_second,
      share: isReal(stage) && whole > 0 ? each(stage) / whole : null,
    }))
}

/** `0.61` → “0.6 seconds”, `5400` → “1 hour 30 minutes”. */
export function secondsInWords(seconds: number): string {
  if (seconds >= 10) return spanOf(seconds)
  const number = seconds.toLocaleString('en', { maximumFractionDigits: seconds < 1 ? 2 : 1 })
  return `${number} second${number === '1' ? '' : 's'}`
}

/** What the prediction is made from, and how far it can be trusted. */
export function basisInWords({ prediction, recipients }: CapacityReport): string {
  const basis =
    prediction.basis === 'recent_runs'
      ? `Estimated from ${prediction.runs === 1 ? 'the last run' : `${prediction.runs} of the last runs`} of this workspace, of about this size.`
      : 'A rough estimate from the rehearsed stages alone, without the mail provider: this workspace has not sent to 100 recipients in one run yet.'
  return recipients.eligible < 2_000 ? `${basis} It is rough below about 2,000 recipients.` : basis
}

/** What a rehearsal must show besides its speed. */
export function capacityChecksOf(run: SyntheticRehearsal, report: CapacityReport): CheckedCondition[] {
  const { crashes, recipients, remaining_rows: rows } = report
  const sent = run.claimed_count ?? 0
  const twice = run.duplicate_claim_count ?? 0
  const crashed = crashes.before_intent + crashes.after_intent
  return [
    {
      title: 'Every eligible recipient was sent to once',
      holds: sent === recipients.eligible && twice === 0,
      evidence: `${sent.toLocaleString('en')} of ${recipients.eligible.toLocaleString('en')}, ${twice.toLocaleString('en')} of them twice`,
    },
    {
      title: 'Nothing was lost when workers crashed',
      holds: sent === recipients.eligible,
      evidence: `the workers of ${counted(crashed, 'batch', 'batches')} ended on purpose, and ${counted(run.recovered_count ?? 0, 'recipient')} of them ${run.recovered_count === 1 ? 'was' : 'were'} found again`,
    },
    {
      title: 'The mail provider was not called',
      holds: run.provider_call_count === 0,
      evidence: counted(run.provider_call_count, 'call'),
    },
    {
      title: 'Everything was rolled back',
      holds: run.cleanup_verified === true && rows === 0,
      evidence: `${counted(rows, 'row')} left in the tables, which were counted`,
    },
  ]
}
