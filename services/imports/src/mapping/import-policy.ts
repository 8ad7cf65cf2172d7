import { fitsIn, textCharsMax } from '@lettergate/values/text'

export const consentPolicies = ['review_required', 'explicit_opt_in', 'status_column'] as const
export type ConsentPolicy = (typeof consentPolicies)[number]

/** What a row says about its address. */
export const rowStatuses = ['subscribed', 'unsubscribed', 'suppressed', 'pending'] as const
export type RowStatus = (typeof rowStatuses)[number]

/** The keys of the policy that this service knows. Others are ignored. */
export interface ImportPolicy {
  consent_basis?: string
  consent_source?: string
  wording_version?: string
  evidence_reference?: string
  default_status?: RowStatus
  static_tags?: string[]
  status_values?: Record<string, RowStatus>
}

/** The status of an address of which a row says something that nobody can interpret. No other row of it can subscribe it. */
export const unknownStatus = 'unknown'

const evidenceKeys = ['consent_basis', 'consent_source', 'wording_version', 'evidence_reference'] as const
const statusValuesMax = 200
const staticTagsMax = 50
const tagCharsMax = 100

/** The statuses of people who are not to be sent to. */
export const isRefusal = (status: string): boolean => status === 'unsubscribed' || status === 'suppressed'

const isRowStatus = (value: unknown): value is RowStatus => rowStatuses.some((status) => status === value)
const isGiven = (value: unknown) => value !== undefined && value !== null

/** The form in which cells of the status column are compared. */
export const statusCell = (text: string): string => text.trim().toLowerCase()

/** Checks the policy of a mapping. Each problem begins with `policy` and names the key. */
export function parsePolicy(
  given: Readonly<Record<string, unknown>>,
  consentPolicy: ConsentPolicy | undefined,
): { policy: ImportPolicy; problems: string[] } {
  const policy: ImportPolicy = {}
  const problems: string[] = []

  for (const key of evidenceKeys) {
    const value = given[key]
    const text = typeof value === 'string' ? value.trim() : ''
    if (isGiven(value) && typeof value !== 'string') problems.push(`policy: ${key} must be a text.`)
    else if (!fitsIn(textCharsMax, text) || text.includes('\u0000'))
      problems.push(`policy: ${key} must be a text of at most ${textCharsMax} characters without NUL.`)
    else if (text !== '') policy[key] = text
    else if (consentPolicy === 'explicit_opt_in') problems.push(`policy: ${key} is required with explicit_opt_in.`)
  }
  const { default_status: defaultStatus, static_tags: staticTags, status_values: statusValues } = given
  if (isRowStatus(defaultStatus)) policy.default_status = defaultStatus
  else if (isGiven(defaultStatus)) problems.push(`policy: default_status must be one of ${rowStatuses.join(', ')}.`)

  if (isGiven(staticTags)) {
    const tags = parseStaticTags(staticTags)
    if (typeof tags === 'string') problems.push(tags)
    else policy.static_tags = tags
  }
  if (isGiven(statusValues)) {
    const { values, problems: wrong } = parseStatusValues(statusValues)
    policy.status_values = values
    problems.push(...wrong)
  }
  return { policy, problems }
}

function parseStaticTags(given: unknown): string[] | string {
  if (!Array.isArray(given) || !given.every((tag) => typeof tag === 'string'))
    return 'policy: static_tags must be a list of texts.'
  const tags = [...new Set(given.map((tag) => tag.trim()))]
  if (tags.some((tag) => tag === '' || !fitsIn(tagCharsMax, tag) || tag.includes('\u0000')))
    return `policy: static_tags must be texts of 1 to ${tagCharsMax} characters without NUL.`
  return tags.length > staticTagsMax ? `policy: static_tags has more than ${staticTagsMax} tags. Send fewer.` : tags
}

function parseStatusValues(given: unknown): { values: Record<string, RowStatus>; problems: string[] } {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { values: {}, problems: ['policy: status_values must be an object of cells and their meanings.'] }
  const entries = Object.entries(given)
  if (entries.length > statusValuesMax)
    return { values: {}, problems: [`policy: status_values has more than ${statusValuesMax} cells. Send fewer.`] }
  const problems = entries.flatMap(([cell, status]) =>
    isRowStatus(status)
      ? []
      : `policy: status_values: ${JSON.stringify(cell.slice(0, 100))} must be one of ${rowStatuses.join(', ')}.`,
  )
  const meanings = new Map<string, unknown>()
  for (const [cell, status] of entries) {
    if (isRowStatus(statusCell(cell)) && isRowStatus(status) && status !== statusCell(cell))
      problems.push(`policy: status_values: ${JSON.stringify(cell)} always means itself. Leave it out.`)
    const known = meanings.get(statusCell(cell))
    if (known !== undefined && known !== status)
      problems.push(
        `policy: status_values: ${JSON.stringify(cell.slice(0, 100))} has two meanings, because cells are compared without case and spaces.`,
      )
    meanings.set(statusCell(cell), status)
  }
  return { values: Object.fromEntries(entries) as Record<string, RowStatus>, problems }
}
