import type { ListDomainChecksRequest, ListDomainChecksResponseSchema } from '@lettergate/contracts/sending/v1/console'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { checkReply, checksOf } from '../db/listed-checks.ts'
import { requireDomain } from '../db/sending-domain.entity.ts'
import { parseCursor, parseLimit } from './check-page.ts'

/** The checks of a domain with their evidence, newest first, a page at a time. */
export async function listDomainChecks(
  ctx: Ctx,
  req: ListDomainChecksRequest,
): Promise<Reply<typeof ListDomainChecksResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const before = parseCursor(req.cursor)
  const found = await ctx.tx(async (em) => {
    const { id } = await requireDomain(em, workspaceId, req.domainId)
    return checksOf(em, workspaceId, { domainId: id, before, limit: limit + 1 })
  })
  const page = found.slice(0, limit)
  return {
    checks: page.map(checkReply),
    ...(found.length > limit ? { nextCursor: page.at(-1)!.number } : {}),
  }
}
