import { Fault } from '@lettergate/fault'

export const recordStates = ['not_checked', 'pending', 'verified', 'failed'] as const
export const alignmentStates = ['not_checked', 'aligned', 'misaligned'] as const
export const quotaStates = ['not_checked', 'approved', 'insufficient'] as const

export type RecordState = (typeof recordStates)[number]
export type AlignmentState = (typeof alignmentStates)[number]
export type QuotaState = (typeof quotaStates)[number]

/** What a check can see of a domain; the quota is a person's word and is not among it. */
export interface SeenStates {
  readonly verificationState: RecordState
  readonly spfState: RecordState
  readonly dkimState: RecordState
  readonly dmarcState: RecordState
  readonly alignmentState: AlignmentState
  readonly webhooksRegistered: boolean
}

/** Whether everything that a check can see is in order. */
export const isPassing = (seen: SeenStates): boolean =>
  [seen.verificationState, seen.spfState, seen.dkimState, seen.dmarcState].every((state) => state === 'verified') &&
  seen.alignmentState === 'aligned' &&
  seen.webhooksRegistered

/** What the provider's word for a domain means here. It waits for DNS while `unverified`; `disabled` and the unheard-of are failures. */
export const verificationStateOf = (providerState: string): RecordState =>
  providerState === 'active' ? 'verified' : providerState === 'unverified' ? 'pending' : 'failed'

/** A sender stands and falls with its domain at the provider. */
export const senderStateOf = (state: RecordState): 'pending' | 'verified' | 'failed' =>
  state === 'not_checked' ? 'pending' : state

/** Whether the last check still speaks for the domain: it passed, and is younger than the given age. */
export const isCheckCurrent = (
  check: { lastCheckPassed: boolean; checkedAt?: Date | null },
  now: Date,
  maxAgeHours: number,
): boolean =>
  check.lastCheckPassed &&
  check.checkedAt != null &&
  now.getTime() - check.checkedAt.getTime() < maxAgeHours * 3_600_000

/** What of a domain is not in order, in words for people. */
export const notInOrder = (domain: SeenStates & { quotaState: QuotaState }): string[] =>
  [
    domain.verificationState === 'verified' ? [] : ['verification'],
    domain.spfState === 'verified' ? [] : ['SPF'],
    domain.dkimState === 'verified' ? [] : ['DKIM'],
    domain.dmarcState === 'verified' ? [] : ['DMARC'],
    domain.alignmentState === 'aligned' ? [] : ['alignment'],
    domain.quotaState === 'approved' ? [] : ['quota'],
    domain.webhooksRegistered ? [] : ['webhook registration'],
  ].flat()

/** Says what keeps a domain from sending, or undefined. */
export function domainObstacle(
  domain: SeenStates & { quotaState: QuotaState; isReady: boolean },
  isCurrent: boolean,
): string | undefined {
  const lacking = notInOrder(domain)
  if (lacking.length > 0)
    return `The sending domain is not ready: ${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not in order.`
  return isCurrent ? undefined : "The sending domain's last passing check is too old. Verify it again."
}

/** One value of a dimension, or the refusal that lists what it may be. */
export function parseState<const T extends string>(value: string | undefined, allowed: readonly T[], field: string): T {
  const found = allowed.find((state) => state === value)
  if (found === undefined) throw new Fault('invalid_argument', field, `${field} must be one of ${allowed.join(', ')}.`)
  return found
}
