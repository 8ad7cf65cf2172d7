import type { GetMeRequest, GetMeResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { User } from './user.entity.ts'
import { membershipsOf } from './membership.entity.ts'

/** The caller, with every workspace in which they are a member. */
export async function getMe(ctx: Ctx, _request: GetMeRequest): Promise<Reply<typeof GetMeResponseSchema>> {
  const { actor, authMethod } = ctx.caller
  return ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const user = await em.findOne(User, { walletUserId: actor })
    if (!user) throw new Fault('unauthenticated', 'unknown_user', 'Nobody of that name is known here. Sign in first.')
    const memberships = await membershipsOf(em, actor)
    return {
      user: {
        walletUserId: user.walletUserId,
        username: user.username ?? undefined,
        identityType: user.identityType,
        platformRole: user.platformRole ?? undefined,
      },
      authMethod: authMethod ?? '',
      csrfToken: ctx.session?.csrfToken,
      workspaces: memberships.map(({ organization, workspace, role, is_archived }) => ({
        organization,
        workspace,
        role,
        isArchived: is_archived,
      })),
    }
  })
}
