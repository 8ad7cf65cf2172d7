import type { GetMeRequest, GetMeResponseSchema } from '@lettergate/contracts/identity/v1/identity'
import { row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { membershipsOf } from './membership.entity.ts'

interface UserRow {
  wallet_user_id: string
  username: string | null
  identity_type: string
  platform_role: string | null
}

/** The caller as this service knows them, with every workspace they are a member of. */
export async function getMe(ctx: Ctx, _request: GetMeRequest): Promise<Reply<typeof GetMeResponseSchema>> {
  const { actor, authMethod } = ctx.caller
  return ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const user = await row<UserRow>(
      em,
      sql`select wallet_user_id, username, identity_type, platform_role from users where wallet_user_id = ${actor}`,
    )
    if (!user) throw new Fault('unauthenticated', 'unknown_user', 'Nobody of that name is known here. Sign in first.')
    const memberships = await membershipsOf(em, actor)
    return {
      user: {
        walletUserId: user.wallet_user_id,
        username: user.username ?? undefined,
        identityType: user.identity_type,
        platformRole: user.platform_role ?? undefined,
      },
      authMethod: authMethod ?? '',
      csrfToken: ctx.csrfToken ?? undefined,
      workspaces: memberships.map(({ organization, workspace, role, is_archived }) => ({
        organization,
        workspace,
        role,
        isArchived: is_archived,
      })),
    }
  })
}
