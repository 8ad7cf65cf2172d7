import type {
  ListConsentEventsRequest,
  ListConsentEventsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_lists'
import { sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { newestConsentEvents } from './listed-consent-events.ts'
import { bodyId } from '../values/ids.ts'
import { dateOf } from '@lettergate/values/moment'
import { oneOf } from '../values/one-of.ts'
import { idCeiling, idFloor, pageOf, parseCursor, parseLimit } from '@lettergate/database/page'

/** One page of the consent record, newest first, including deleted contacts. */
export async function listConsentEvents(
  ctx: Ctx,
  req: ListConsentEventsRequest,
): Promise<Reply<typeof ListConsentEventsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('consent-events', req.cursor)
  const kind = oneOf('kind', ['granted', 'withdrawn', 'suppressed', 'resolved'], req.kind)
  const contactId = req.contactId === undefined ? null : bodyId('contact_id', req.contactId)
  const audienceId = req.audienceId === undefined ? null : bodyId('audience_id', req.audienceId)
  const since = dateOf(req.since)
  const until = dateOf(req.until)

  const conditions = [
    ...(after === null ? [] : [sql`e.id < ${after}::uuid`]),
    ...(kind === null ? [] : [sql`e.kind = ${kind}`]),
    ...(contactId === null ? [] : [sql`e.contact_id = ${contactId}`]),
    ...(audienceId === null ? [] : [sql`e.audience_id = ${audienceId}`]),
    ...(since === null ? [] : [sql`e.id >= ${idFloor(since)}::uuid and e.recorded_at >= ${since}`]),
    ...(until === null ? [] : [sql`e.id < ${idCeiling(until)}::uuid and e.recorded_at < ${until}`]),
  ]
  const found = await ctx.tx((em) => newestConsentEvents(em, workspaceId, conditions, limit + 1))
  const { page, nextCursor } = pageOf('consent-events', found, limit, (one) => one.evidence)
  return { consentEvents: page, nextCursor }
}
