import { Fault } from '@lettergate/fault'

export const recordStates = ['not_checked', 'pending', 'verified', 'failed'] as const
export const alignmentStates = ['not_checked', 'aligned', 'misaligned'] as const
export const quotaStates = ['not_checked', 'approved', 'insufficient'] as const

export type RecordState = (typeof recordStates)[number]
export type AlignmentState = (typeof alignmentStates)[number]
export type QuotaState = (typeof quotaStates)[number]

/** The states that a check determines. The quota is not one of them, because a person sets it. */
export interface CheckedStates {
  readonly verificationState: RecordState
  readonly spfState: RecordState
  readonly dkimState: RecordState
  readonly dmarcState: RecordState
  readonly alignmentState: AlignmentState
  readonly webhooksRegistered: boolean
}

/** Whether all states of a check are in order. */
export const isPassing = (seen: CheckedStates): boolean =>
  [seen.verificationState, seen.spfState, seen.dkimState, seen.dmarcState].every((state) => state === 'verified') &&
  seen.alignmentState === 'aligned' &&
  seen.webhooksRegistered

/** Maps the provider's state of a domain. `unverified` means that the provider waits for DNS. `disabled` and unknown states are failures. */
export const verificationStateOf = (providerState: string): RecordState =>
  providerState === 'active' ? 'verified' : providerState === 'unverified' ? 'pending' : 'failed'

/** The state of a sender follows the state of its domain at the provider. */
export const senderStateOf = (state: RecordState): 'pending' | 'verified' | 'failed' =>
  state === 'not_checked' ? 'pending' : state

/** Whether the last check is still valid: it passed and is younger than the given age. */
export const isCheckCurrent = (
  check: { lastCheckPassed: boolean; checkedAt?: Date | null },
  now: Date,
  maxAgeHours: number,
): boolean =>
  check.lastCheckPassed &&
  check.checkedAt != null &&
  now.getTime() - check.checkedAt.getTime() < maxAgeHours * 3_600_000

/** The parts of a domain that are not in order, for people. */
export const problemsOf = (domain: CheckedStates & { quotaState: QuotaState }): string[] =>
  [
    domain.verificationState === 'verified' ? [] : ['verification'],
    domain.spfState === 'verified' ? [] : ['SPF'],
    domain.dkimState === 'verified' ? [] : ['DKIM'],
    domain.dmarcState === 'verified' ? [] : ['DMARC'],
    domain.alignmentState === 'aligned' ? [] : ['alignment'],
    domain.quotaState === 'approved' ? [] : ['quota'],
    domain.webhooksRegistered ? [] : ['webhook registration'],
  ].flat()

/** The reason why a domain may not send, or undefined. */
export function domainObstacle(
  domain: CheckedStates & { quotaState: QuotaState; isReady: boolean },
  isCurrent: boolean,
): string | undefined {
  const lacking = problemsOf(domain)
  if (lacking.length > 0)
    return `The sending domain is not ready: ${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not in order.`
  return isCurrent ? undefined : "The sending domain's last passing check is too old. Verify it again."
}

/** Parses one state. Throws a Fault that lists the allowed values. */
export function parseState<const T extends string>(value: string | undefined, allowed: readonly T[], field: string): T {
  const found = allowed.find((state) => state === value)
  if (found === undefined) throw new Fault('invalid_argument', field, `${field} must be one of ${allowed.join(', ')}.`)
  return found
}
