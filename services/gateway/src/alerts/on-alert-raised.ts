import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { storeAlerts } from './store-alerts.ts'

/**
 * Stores an alert of any service once, or ends one whose condition is over. An alert that equals an unacknowledged one is
 * counted on that, with the text of the last one.
 */
export const onAlertRaised = consumer({
  name: 'on-alert-raised',
  from: '*',
  event: AlertRaisedSchema,
  handle: async (ctx: Ctx, events) => {
    await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
      const raised = await firstTime(em, events)
      await storeAlerts(
        ctx,
        em,
        raised.map(({ id, workspaceId, time, data }) => ({ id, workspaceId, time, ...data })),
      )
    })
  },
})
