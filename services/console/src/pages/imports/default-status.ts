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

interface Given {
  status: DefaultStatus
  policy: ConsentPolicy
  /** a column of the file is mapped to the status */
  hasStatusColumn: boolean
  /** the profile has a column of the status that the mapping leaves out */
  isStatusLeftOut?: boolean
}

const withoutConsent = 'They become contacts, and no consent is recorded for them.'

/** What happens to people whose row has no status, as the service decides it. */
export function consequenceOf({ status, policy, hasStatusColumn, isStatusLeftOut = false }: Given): string {
  if (status === 'unsubscribed') return 'They leave this audience, also those who are subscribed now.'
  if (status === 'suppressed') return 'They get no email of this workspace any more, also those who are subscribed now.'
  if (policy === 'status_column') {
    return hasStatusColumn
      ? `${withoutConsent} Only a cell of the status is evidence, and an empty cell never is.`
      : 'The dry run is refused: no column is mapped to the status.'
  }
  const isSubscribed = status === 'subscribed' || (status === '' && !hasStatusColumn && !isStatusLeftOut)
  if (!isSubscribed) return withoutConsent
  return policy === 'explicit_opt_in'
    ? 'The evidence below is taken as the consent of each of them. Choose this only if it proves that they agreed.'
    : 'They are not subscribed. A person reviews each of them afterwards.'
}
