import type {
  ListSuppressionsRequest,
  ListSuppressionsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_lists'
import { sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { newestSuppressions, searchedSuppressions } from './listed-suppressions.ts'
import { bodyId } from '../values/ids.ts'
import { oneOf } from '../values/one-of.ts'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { parseSearch } from '../search/search.ts'
import { suppressionReasons, suppressionScopes } from './suppression.ts'

/** In the words of the index suppressions_standing, which no other statement may use. */
const isUnresolved = sql`num_nulls(s.resolved_at) = 1`

/** The suppressions of this workspace, including resolved ones, newest first, a page at a time. */
export async function listSuppressions(
  ctx: Ctx,
  req: ListSuppressionsRequest,
): Promise<Reply<typeof ListSuppressionsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('suppressions', req.cursor)
  const search = parseSearch(req.search)
  const scope = oneOf('scope', suppressionScopes, req.scope)
  const reason = oneOf('reason', suppressionReasons, req.reason)
  const state = oneOf('state', ['unresolved', 'resolved'], req.state)
  const contactId = req.contactId === undefined ? null : bodyId('contact_id', req.contactId)

  const conditions = [
    ...(after === null ? [] : [sql`s.id < ${after}::uuid`]),
    ...(scope === null ? [] : [sql`s.scope = ${scope}`]),
    ...(reason === null ? [] : [sql`s.reason = ${reason}`]),
    ...(contactId === null ? [] : [sql`s.contact_id = ${contactId}`]),
    ...(state === null ? [] : [state === 'unresolved' ? isUnresolved : sql`s.resolved_at is not null`]),
  ]
  const found = await ctx.tx((em) =>
    search
      ? searchedSuppressions(em, workspaceId, conditions, limit + 1, search)
      : newestSuppressions(em, workspaceId, conditions, limit + 1),
  )
  const { page, nextCursor } = pageOf('suppressions', found, limit, (one) => one.evidence)
  return { suppressions: page, nextCursor }
}
