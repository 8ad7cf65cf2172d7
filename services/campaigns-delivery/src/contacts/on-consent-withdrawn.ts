import { ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { recordWithdrawals } from './consent-withdrawal.entity.ts'
import { recordRefusals } from './refusal-heard.entity.ts'

/**
 * Stores consent withdrawals. Recipients who withdrew are asked about again before they are sent to, and reports attribute
 * unsubscribes to the run.
 */
export const onConsentWithdrawn = consumer({
  name: 'on-consent-withdrawn',
  from: 'contacts-consent',
  event: ConsentWithdrawnSchema,
  batch: 200,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const newEvents = await firstTime(em, events)
      await recordRefusals(em, ctx.workspaceId, newEvents.map(({ data }) => data.contactId).filter(isUuid))
      await recordWithdrawals(
        em,
        ctx.workspaceId,
        newEvents.map(({ data, time }) => ({
          contactId: data.contactId,
          audienceId: data.audienceId ?? null,
          at: time,
        })),
      )
    })
  },
})
