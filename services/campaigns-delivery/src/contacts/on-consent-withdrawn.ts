import { ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { rememberWithdrawals } from './consent-withdrawal.entity.ts'
import { noteRefusals } from './refusal-heard.entity.ts'

/**
 * Remembers when people withdrew: they are in no batch whose verdict is from before, and a report can put unsubscribes down to
 * the run they followed.
 */
export const onConsentWithdrawn = consumer({
  name: 'on-consent-withdrawn',
  from: 'contacts-consent',
  event: ConsentWithdrawnSchema,
  batch: 200,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const news = await firstTime(em, events)
      await noteRefusals(em, ctx.workspaceId, news.map(({ data }) => data.contactId).filter(isUuid))
      await rememberWithdrawals(
        em,
        ctx.workspaceId,
        news.map(({ data, time }) => ({ contactId: data.contactId, audienceId: data.audienceId ?? null, at: time })),
      )
    })
  },
})
