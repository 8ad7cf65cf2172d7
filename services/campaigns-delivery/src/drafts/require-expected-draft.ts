import { Fault } from '@lettergate/fault'
import type { CampaignRow } from './campaign-draft-version.entity.ts'

type SavedDraft = Pick<CampaignRow, 'version' | 'draft_created_by' | 'draft_created_at'>

/**
 * Throws Fault `conflict`, which says who saved the current version, if another version was expected. `notDone` and `next` are for
 * the caller.
 */
export function requireExpectedDraft(
  draft: SavedDraft,
  expected: number | undefined,
  { notDone, next }: { notDone: string; next: (version: number) => string },
): void {
  const { version, draft_created_by: by, draft_created_at: at } = draft
  if (expected === undefined || expected === version) return
  throw new Fault(
    'conflict',
    'campaign_changed',
    `Version ${version} of this campaign was saved by ${by} at ${new Date(at).toISOString()}, and you began with version ${expected}. ${notDone} Read the campaign again, ${next(version)}.`,
  )
}
