import type { ListPreflightsRequest, ListPreflightsResponseSchema } from '@lettergate/contracts/campaigns/v1/preflight'
import { kyselyOf } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { changesBetween } from './changes-between.ts'
import { listedPreflight, Preflight } from './preflight.entity.ts'

/** Lists the preflights of the workspace, newest first, one page at a time, each with what changed since the one before. */
export async function listPreflights(
  ctx: Ctx,
  req: ListPreflightsRequest,
): Promise<Reply<typeof ListPreflightsResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('preflights', req.cursor)
  const found = await ctx.tx((em) => {
    const newest = kyselyOf(em, Preflight)
      .selectFrom('preflights')
      .selectAll()
      .where('workspace_id', '=', ctx.workspaceId)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    return (after === null ? newest : newest.where('id', '<', after)).execute()
  })
  const { page, nextCursor } = pageOf('preflights', found, limit, ({ report }) => report)
  return {
    preflights: page.map((one, index) => {
      // The row after the page is read too, so only the first preflight of all has none before it.
      const before = found[index + 1]
      return {
        ...listedPreflight(one),
        previousId: before?.id,
        changes: before ? changesBetween(before.report.checks, one.report.checks) : [],
      }
    }),
    nextCursor,
  }
}
