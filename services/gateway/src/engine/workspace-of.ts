import { columns, prepared, sql, statement, type Database } from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import { isSlug } from '@lettergate/values/slug'
import { Workspace } from '../identity/workspace.entity.ts'
import { coalesced } from './coalesce.ts'
import type { Slugs } from './principals.ts'
/** Looks up the id of a workspace by its slugs, for callers without a membership; null when it does not exist. */
const selectWorkspace = statement('select-workspace-by-slugs', columns(Workspace, 'id'))

/** Finds the id of a workspace by its slugs, for callers who are nobody's member; null when there is none. */
export function workspacesIn(db: Database): (slugs: Slugs) => Promise<string | null> {
  const shared = coalesced<{ id: string } | undefined>({ isGathering: true })
  return async ({ organization, workspace }) => {
    if (!isSlug(organization) || !isSlug(workspace)) return null
    try {
      const found = await shared(`${organization}/${workspace}`, () =>
        selectWorkspace.row(
          db.fork(),
          prepared(sql`select w.id from workspaces w join organizations o on o.id = w.organization_id
               where o.slug = ${organization} and w.slug = ${workspace}`),
        ),
      )
      return found?.id ?? null
    } catch (error) {
      throw faultOf(error)
    }
  }
}
