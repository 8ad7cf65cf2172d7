import type { ListRehearsalsRequest, ListRehearsalsResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { eventTotals } from '../messages/event-count.entity.ts'
import { rehearsalReply, selectRehearsals } from './rehearsal.entity.ts'
import { remainingCaps } from './test-send-caps.ts'

/** Lists rehearsals, newest first, one page at a time, with the remaining caps. */
export async function listRehearsals(
  ctx: Ctx,
  req: ListRehearsalsRequest,
): Promise<Reply<typeof ListRehearsalsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('rehearsals', req.cursor)
  return ctx.tx(
    async (em) => {
      const newest = selectRehearsals(em, workspaceId)
        .select(['t.recipient_email', 't.sender_identity_id', 't.content_version_id', 't.requested_by'])
        .orderBy('r.id', 'desc')
        .limit(limit + 1)
      const found = await (after === null ? newest : newest.where('r.id', '<', after)).execute()
      const { page, nextCursor } = pageOf('rehearsals', found, limit)
      const counts = await eventTotals(
        em,
        workspaceId,
        page.map(({ test_send_id }) => test_send_id),
      )
      return {
        rehearsals: page.map((one) => ({
          ...rehearsalReply(one, counts(one.test_send_id)),
          recipientEmail: one.recipient_email,
          senderIdentityId: one.sender_identity_id,
          contentVersionId: one.content_version_id,
          requestedBy: one.requested_by,
        })),
        nextCursor,
        caps: await remainingCaps(em, workspaceId, ctx.config),
      }
    },
    { isSnapshot: true },
  )
}
