import type { ListSessionsRequest, ListSessionsResponseSchema } from '@lettergate/contracts/identity/v1/sessions'
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Session, sessionSeconds, validAt } from './session.entity.ts'
import { User } from './user.entity.ts'

/** The valid browser sessions of the caller, the last used one first. */
export async function listSessions(
  ctx: Ctx,
  _request: ListSessionsRequest,
): Promise<Reply<typeof ListSessionsResponseSchema>> {
  const found = await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const { id: userId } = await em.findOneOrFail(User, { walletUserId: ctx.caller.actor })
    return em.find(Session, { userId, ...validAt(ctx.now()) }, { orderBy: { lastUsedAt: 'desc', id: 'asc' } })
  })
  return {
    sessions: found.map(({ id, createdAt, lastUsedAt }) => ({
      id,
      signedInAt: timestampFromDate(createdAt),
      lastUsedAt: timestampFromDate(lastUsedAt),
      endsAt: timestampFromMs(createdAt.getTime() + sessionSeconds * 1_000),
      isCurrent: id === ctx.session?.id,
    })),
  }
}
