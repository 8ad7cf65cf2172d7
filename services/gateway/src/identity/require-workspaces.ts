import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { workspaceIdsOf } from './workspace.entity.ts'

/** The workspaces of a list's filter; null without a filter. Throws Fault `invalid_argument` for a workspace that does not exist. */
export async function requireWorkspaces(
  em: Em,
  { organization, workspace }: { organization?: string; workspace?: string },
): Promise<string[] | null> {
  if (organization === undefined) {
    if (workspace === undefined) return null
    throw new Fault('invalid_argument', 'organization', 'organization must be given beside workspace.')
  }
  const ids = await workspaceIdsOf(em, organization, workspace)
  if (ids.length > 0) return ids
  throw workspace === undefined
    ? new Fault('invalid_argument', 'organization', 'There is no organization of that slug with a workspace.')
    : new Fault('invalid_argument', 'workspace', 'There is no workspace of that slug in that organization.')
}
