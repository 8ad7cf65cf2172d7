import type {
  ListPlatformSuppressionsRequest,
  ListPlatformSuppressionsResponseSchema,
} from '@lettergate/contracts/contacts/v1/suppressions'
import { sql } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { newestPlatformSuppressions } from './listed-platform-suppressions.ts'
import { possibleHashes } from '../values/address-hash.ts'
import { parseEmail, type NormalizedEmail } from '../values/normalized-email.ts'
import { oneOf } from '../values/one-of.ts'
import { requirePlatformAdministrator, suppressionReasons } from './suppression.ts'

/**
 * The platform suppressions of all workspaces, newest first, a page at a time. The address is masked, and the evidence is not
 * shown. A search by the full address also finds an erased address by its keyed hash.
 */
export async function listPlatformSuppressions(
  ctx: Ctx,
  req: ListPlatformSuppressionsRequest,
): Promise<Reply<typeof ListPlatformSuppressionsResponseSchema>> {
  requirePlatformAdministrator(ctx.caller.platformRole)
  const limit = parseLimit(req.limit)
  const after = parseCursor('platform-suppressions', req.cursor)
  const reason = oneOf('reason', suppressionReasons, req.reason)
  const state = oneOf('state', ['unresolved', 'resolved'], req.state)
  const conditions = [
    ...(after === null ? [] : [sql`p.id < ${after}::uuid`]),
    ...(req.email === undefined ? [] : [isOf(ctx, parseEmail(req.email).normalizedEmail)]),
    ...(reason === null ? [] : [sql`p.reason = ${reason}`]),
    ...(state === null ? [] : [state === 'unresolved' ? sql`p.resolved_at is null` : sql`p.resolved_at is not null`]),
  ]
  const found = await ctx
    .acrossWorkspaces('list-platform-suppressions')
    .tx((em) => newestPlatformSuppressions(em, conditions, limit + 1))
  const { page, nextCursor } = pageOf('platform-suppressions', found, limit)
  return { suppressions: page, nextCursor }
}

const isOf = ({ config }: Ctx, normalizedEmail: NormalizedEmail) =>
  sql`(p.normalized_email = ${normalizedEmail}
       or p.address_hmac = any(${possibleHashes(config.erasureHashKeys, null, normalizedEmail)}::bytea[]))`
