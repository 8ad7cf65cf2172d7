import { tagsMax } from '../tags/tag-names.ts'
import type { RowConsentPolicy } from './import-plan.ts'
import type { GivenStatus } from './import-rows.ts'

export const rowOutcomes = [
  'consent_recorded',
  'already_subscribed',
  'needs_review',
  'withdrawn',
  'suppressed',
  'already_refused',
  'blocked_by_suppression',
  'refused',
] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** How the address of a row stands before the row, in the workspace and the audience of the import. */
export interface RowState {
  /** null if there is no contact */
  readonly contactId: string | null
  readonly isErased: boolean
  readonly isPlatformSuppressed: boolean
  readonly isWorkspaceSuppressed: boolean
  readonly isAudienceSuppressed: boolean
  /** an earlier import suppressed the contact, and nobody resolved it */
  readonly isSuppressedByImport: boolean
  /** the person left the audience or the workspace, and has not consented again since */
  readonly isWithdrawn: boolean
  /** the membership says so, and an unresolved suppression of the audience with reason unsubscribe or import */
  readonly isWithdrawalInForce: boolean
  /** a legacy contact without documented consent */
  readonly isUnverifiedLegacy: boolean
  readonly isUnderReview: boolean
  /** an active member with consent */
  readonly isMember: boolean
  /** the person was erased, and is a contact again since */
  readonly wasErased: boolean
  readonly tagIds: readonly string[]
  readonly lastTagPosition: number
  /** the custom fields of the row have room in those of the contact */
  readonly hasRoomForCustomFields: boolean
}

/** The state of an address that the workspace does not know. */
export const unknownAddress: RowState = {
  contactId: null,
  isErased: false,
  isPlatformSuppressed: false,
  isWorkspaceSuppressed: false,
  isAudienceSuppressed: false,
  isSuppressedByImport: false,
  isWithdrawn: false,
  isWithdrawalInForce: false,
  isUnverifiedLegacy: false,
  isUnderReview: false,
  isMember: false,
  wasErased: false,
  tagIds: [],
  lastTagPosition: 0,
  hasRoomForCustomFields: true,
}

/** What decides about a row besides the state of its address. */
export interface RowFacts {
  readonly status: GivenStatus
  readonly problems: readonly string[]
  /** of the tags, in their order; null for a tag that the catalogue does not have */
  readonly tagIds: readonly (string | null)[]
}

/** The result of a row. The same function decides in a dry run and in an apply. */
export interface DecidedRow {
  readonly outcome: RowOutcome
  /** null if the row writes no contact */
  readonly contact: 'new' | 'existing' | null
  readonly reasons: readonly string[]
  /** whether the fields and tags of the row are added to the contact */
  readonly addsDetails: boolean
  readonly addsTags: boolean
  readonly addsCustomFields: boolean
}

const reasonsOf = (named: Readonly<Record<string, boolean>>) => Object.keys(named).filter((reason) => named[reason])

const blocksOf = (state: RowState) =>
  reasonsOf({
    erased: state.isErased,
    suppressed_platform: state.isPlatformSuppressed,
    suppressed_workspace: state.isWorkspaceSuppressed,
    suppressed_audience: state.isAudienceSuppressed,
  })

const doubtsOf = (state: RowState) =>
  reasonsOf({
    consent_withdrawn: state.isWithdrawn,
    consent_under_review: state.isUnderReview,
    legacy_consent_unverified: state.isUnverifiedLegacy,
    // What the person gave since the erasure counts, and no file adds to it.
    erased_before: state.wasErased && !state.isMember,
  })

const nothing = (outcome: RowOutcome, reasons: readonly string[]): DecidedRow => ({
  outcome,
  contact: null,
  reasons,
  addsDetails: false,
  addsTags: false,
  addsCustomFields: false,
})

const hasRoomForTags = (state: RowState, tagIds: RowFacts['tagIds']) => {
  const known = new Set(state.tagIds)
  return known.size + tagIds.filter((id) => id === null || !known.has(id)).length <= tagsMax
}

/** A row that writes its contact. What has no room there is left out, and everything that an old file may know of an erased person. */
function written(outcome: RowOutcome, reasons: readonly string[], state: RowState, facts: RowFacts): DecidedRow {
  const contact = state.contactId === null ? 'new' : 'existing'
  if (state.wasErased) {
    const all = reasons.includes('erased_before') ? reasons : [...reasons, 'details_not_added']
    return { outcome, contact, reasons: all, addsDetails: false, addsTags: false, addsCustomFields: false }
  }
  const addsTags = hasRoomForTags(state, facts.tagIds)
  const addsCustomFields = state.hasRoomForCustomFields
  return {
    outcome,
    contact,
    reasons: [
      ...reasons,
      ...(addsTags ? [] : ['too_many_tags']),
      ...(addsCustomFields || reasons.includes('custom_fields_too_long') ? [] : ['custom_fields_too_long']),
    ],
    addsDetails: true,
    addsTags,
    addsCustomFields,
  }
}

/** A refusal of mail is applied also if other values of its row cannot be stored. They are left out. */
function decideRefusal(state: RowState, facts: RowFacts): DecidedRow {
  const { status, problems } = facts
  if (problems.includes('email_invalid')) return nothing('refused', problems)
  if (state.isErased) return nothing('blocked_by_suppression', ['erased'])
  if (status === 'suppressed') {
    return written(state.isSuppressedByImport ? 'already_refused' : 'suppressed', problems, state, facts)
  }
  return written(state.isWithdrawalInForce ? 'already_refused' : 'withdrawn', problems, state, facts)
}

/**
 * Decides one row. An unresolved suppression or an erasure takes precedence over everything except a refusal of mail, and a
 * doubt about earlier consent over the consent of the file.
 */
export function decideRow(policy: RowConsentPolicy, state: RowState, facts: RowFacts): DecidedRow {
  const { status, problems } = facts
  if (status === 'unsubscribed' || status === 'suppressed') return decideRefusal(state, facts)
  if (problems.length > 0) return nothing('refused', problems)
  const blocks = blocksOf(state)
  if (blocks.length > 0) return nothing('blocked_by_suppression', blocks)
  if (status === '') return written('needs_review', ['no_status'], state, facts)
  if (status === 'unknown') return written('needs_review', ['other_row_status_unknown'], state, facts)
  if (status === 'pending') return written('needs_review', ['consent_pending'], state, facts)
  const doubts = doubtsOf(state)
  if (doubts.length > 0) return written('needs_review', doubts, state, facts)
  if (state.isMember) return written('already_subscribed', [], state, facts)
  if (policy === 'review_required') return written('needs_review', ['review_required'], state, facts)
  return written('consent_recorded', [], state, facts)
}
