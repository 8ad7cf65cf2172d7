import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { EndSessionRequest, EndSessionResponseSchema } from '@lettergate/contracts/identity/v1/sessions'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { Session, validAt } from './session.entity.ts'
import { User } from './user.entity.ts'

/** Ends another browser session of the caller at once. The session of this request is ended by signing out. */
export async function endSession(
  ctx: Ctx,
  { sessionId }: EndSessionRequest,
): Promise<Reply<typeof EndSessionResponseSchema>> {
  if (sessionId === ctx.session?.id)
    throw new Fault('failed_precondition', 'current_session', 'This is the session that you use. Sign out to end it.')
  await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const { id: userId } = await em.findOneOrFail(User, { walletUserId: ctx.caller.actor })
    const ended = isUuid(sessionId)
      ? await em.nativeDelete(Session, { id: sessionId, userId, ...validAt(ctx.now()) })
      : 0
    if (ended === 0) throw new Fault('not_found', 'session', 'You have no such session.')
    await publish(em, AuditRecordedSchema, {
      action: 'session_ended',
      subjectType: 'session',
      subjectId: sessionId,
      actor: ctx.caller.actor,
    })
  })
  return { deleted: true }
}
