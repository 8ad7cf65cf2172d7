import type { ConsentPolicy } from '@lettergate/client'

/** What `default_status` of a policy can say. Empty: nothing is set. */
export const defaultStatuses = {
  '': 'Nothing',
  subscribed: 'Subscribed',
  pending: 'Pending',
  unsubscribed: 'Unsubscribed',
  suppressed: 'Suppressed',
} as const
export type DefaultStatus = keyof typeof defaultStatuses

export const isDefaultStatus = (value: unknown): value is DefaultStatus =>
  typeof value === 'string' && Object.hasOwn(defaultStatuses, value)

/** What decides about rows without a status. */
export interface RowsGiven {
  status: DefaultStatus
  policy: ConsentPolicy
  /** a column of the file is mapped to the status */
  hasStatusColumn: boolean
  /** the profile has a column of the status that the mapping leaves out */
  isStatusLeftOut?: boolean
}

/** Whether a row that the file has no status for is subscribed, or is said to be. */
const isSubscribed = ({ status, hasStatusColumn, isStatusLeftOut = false }: RowsGiven): boolean =>
  status === 'subscribed' || (status === '' && !hasStatusColumn && !isStatusLeftOut)

/** Whether the service can subscribe somebody by this policy. What the cells of a status column say is not known yet. */
export function canSubscribe(given: RowsGiven): boolean {
  if (given.policy === 'review_required') return false
  return given.hasStatusColumn || (given.policy === 'explicit_opt_in' && isSubscribed(given))
}

/** Whether evidence is asked for. The API requires it with `explicit_opt_in`, also if nobody is subscribed. */
export const needsEvidence = (given: RowsGiven): boolean => given.policy === 'explicit_opt_in' || canSubscribe(given)

const withoutConsent = 'They become contacts, and no consent is recorded for them.'

/** What happens to people whose row has no status, as the service decides it. */
export function consequenceOf(given: RowsGiven): string {
  const { status, policy, hasStatusColumn } = given
  if (status === 'unsubscribed') return 'They leave this audience, also those who are subscribed now.'
  if (status === 'suppressed') return 'They get no email of this workspace any more, also those who are subscribed now.'
  if (policy === 'status_column') {
    return hasStatusColumn
      ? `${withoutConsent} Only a cell of the status is evidence, and an empty cell never is.`
      : 'The dry run is refused: no column is mapped to the status.'
  }
  if (!isSubscribed(given)) return withoutConsent
  return policy === 'explicit_opt_in'
    ? 'The evidence below is taken as the consent of each of them. Choose this only if it proves that they agreed.'
    : 'They are not subscribed. A person reviews each of them afterwards.'
}
