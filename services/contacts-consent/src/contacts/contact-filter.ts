import type { ListContactsRequest } from '@lettergate/contracts/contacts/v1/contact_lists'
import { Fault } from '@lettergate/fault'
import { bodyId } from '../values/ids.ts'
import { dateOf } from '@lettergate/values/moment'
import { oneOf } from '../values/one-of.ts'
import { parseSearch, type Search } from '../search/search.ts'
import { parseTags } from '../tags/tag-names.ts'

/** The filters of a contact list; null means no filter. */
export interface ContactFilter {
  search: Search | null
  /** any of these; empty means no filter */
  tags: readonly string[]
  audienceId: string | null
  memberState: 'active' | 'withdrawn' | 'under_review' | null
  isSuppressed: boolean | null
  legacyClassification: 'documented' | 'partial' | 'undocumented' | null
  createdAfter: Date | null
  createdBefore: Date | null
}

/** Throws Fault `invalid_argument` with the field. An unknown audience has no members. */
export function parseContactFilter(req: ListContactsRequest): ContactFilter {
  if (req.memberState !== undefined && req.audienceId === undefined) {
    throw new Fault('invalid_argument', 'audience_id', 'audience_id is required with member_state.')
  }
  return {
    search: parseSearch(req.search),
    tags: parseTags(req.tag),
    audienceId: req.audienceId === undefined ? null : bodyId('audience_id', req.audienceId),
    memberState: oneOf('member_state', ['active', 'withdrawn', 'under_review'], req.memberState),
    isSuppressed: req.suppressed ?? null,
    legacyClassification: oneOf(
      'legacy_consent_classification',
      ['documented', 'partial', 'undocumented'],
      req.legacyConsentClassification,
    ),
    createdAfter: dateOf(req.createdAfter),
    createdBefore: dateOf(req.createdBefore),
  }
}
