import { row, sql, type Database } from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import { isSlug } from '@lettergate/values/slug'
import { coalesced } from './coalesce.ts'
import type { Slugs } from './principals.ts'

/** Finds the id of a workspace by its slugs, for callers who are nobody's member; null when there is none. */
export function workspacesIn(db: Database): (slugs: Slugs) => Promise<string | null> {
  const shared = coalesced<{ id: string } | undefined>()
  return async ({ organization, workspace }) => {
    if (!isSlug(organization) || !isSlug(workspace)) return null
    try {
      const found = await shared(`${organization}/${workspace}`, () =>
        row<{ id: string }>(
          db.fork(),
          sql`select w.id from workspaces w join organizations o on o.id = w.organization_id
               where o.slug = ${organization} and w.slug = ${workspace}`,
        ),
      )
      return found?.id ?? null
    } catch (error) {
      throw faultOf(error)
    }
  }
}
