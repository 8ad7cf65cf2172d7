import type { DetailedDraft, TargetedCampaignDraftRequest } from '@lettergate/client/console'

/** What is typed and chosen in the form of a draft. */
export type DraftForm = Required<
  Pick<TargetedCampaignDraftRequest, 'name' | 'audience_ids' | 'sender_identity_id' | 'content_version_id'>
> & {
  notes: string
  any: string[]
  all: string[]
  none: string[]
}

export const inputOf = (draft: DetailedDraft | undefined): DraftForm => ({
  name: draft?.name ?? '',
  audience_ids: draft?.audience_ids ?? [],
  sender_identity_id: draft?.sender_identity_id ?? '',
  content_version_id: draft?.content_version_id ?? '',
  notes: draft?.notes ?? '',
  any: draft?.tag_filter?.['any'] ?? [],
  all: draft?.tag_filter?.['all'] ?? [],
  none: draft?.tag_filter?.['none'] ?? [],
})

/** The form as a request; an empty filter is none. */
export function requestOf({ any, all, none, notes, ...input }: DraftForm): TargetedCampaignDraftRequest {
  const isFiltered = any.length + all.length + none.length > 0
  return { ...input, notes: notes || null, tag_filter: isFiltered ? { any, all, none } : null }
}
