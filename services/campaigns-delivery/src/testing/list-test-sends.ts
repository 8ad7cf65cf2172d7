import type { ListTestSendsRequest, ListTestSendsResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import { sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { eventTotals } from '../messages/event-count.entity.ts'
import { remainingCaps } from './test-send-caps.ts'
import { listedTestSend, selectTestSends } from './test-send.entity.ts'

/** Lists test sends, including those of rehearsals, newest first, one page at a time, with the remaining caps. */
export async function listTestSends(
  ctx: Ctx,
  req: ListTestSendsRequest,
): Promise<Reply<typeof ListTestSendsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('test_sends', req.cursor)
  return ctx.tx(
    async (em) => {
      const found = await selectTestSends(
        em,
        workspaceId,
        sql`(${after}::uuid is null or r.id < ${after}::uuid) order by r.id desc limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf('test_sends', found, limit)
      const counts = await eventTotals(
        em,
        workspaceId,
        page.map(({ id }) => id),
      )
      return {
        testSends: page.map((test) => listedTestSend(test, counts(test.id))),
        nextCursor,
        caps: await remainingCaps(em, workspaceId, ctx.config),
      }
    },
    { isSnapshot: true },
  )
}
