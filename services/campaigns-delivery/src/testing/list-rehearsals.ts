import type { ListRehearsalsRequest, ListRehearsalsResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { eventTotals } from '../messages/event-count.entity.ts'
import { rehearsalColumns, rehearsalReply, type RehearsalRow } from './rehearsal.entity.ts'
import { remainingCaps } from './test-send-caps.ts'

interface ListedRehearsalRow extends RehearsalRow {
  recipient_email: string
  sender_identity_id: string
  content_version_id: string
  requested_by: string
}

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
      const found = await rows<ListedRehearsalRow>(
        em,
        sql`select ${rehearsalColumns}, t.recipient_email, t.sender_identity_id, t.content_version_id, t.requested_by
              from rehearsals r join test_sends t on t.workspace_id = r.workspace_id and t.id = r.test_send_id
             where r.workspace_id = ${workspaceId} and (${after}::uuid is null or r.id < ${after}::uuid)
             order by r.id desc limit ${limit + 1}`,
      )
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
