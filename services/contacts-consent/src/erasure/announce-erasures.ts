import { AlertRaisedSchema, ContactErasedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { findRunningErasures, takeLate, takeUnanswered } from './erasure.entity.ts'

/**
 * Publishes an erasure again if a service has not reported for an hour, and raises one alert for each erasure that is not
 * completed after a day.
 */
export async function announceErasures(ctx: Ctx, each: OneByOne): Promise<void> {
  const running = await ctx.tx((em) => findRunningErasures(em, each.postponed()))
  await each.forEach(running, async ({ workspace_id: workspaceId, id, contact_id: contactId }) => {
    await ctx.inWorkspace(workspaceId).tx(async (em) => {
      if ((await takeUnanswered(em, workspaceId, id)) > 0)
        await publish(em, ContactErasedSchema, { erasureId: id, contactId })
      if ((await takeLate(em, workspaceId, id)) > 0)
        await publish(em, AlertRaisedSchema, {
          code: 'erasure_incomplete',
          severity: 'critical',
          summary: 'A person was to be erased a day ago, and not every service has removed their data.',
          about: id,
          detail: { workspace_id: workspaceId, erasure_id: id },
        })
    })
  })
}
