import { timestampDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { rememberWithdrawals } from './consent-withdrawal.entity.ts'
import { noteRefusals } from './refusal-heard.entity.ts'

/**
 * Whoever was suppressed is in no batch whose verdict is from before. An unsubscribe that somebody recorded by a suppression
 * counts like one that a person clicked; other suppressions are no wish to leave.
 */
export const onSuppressionAdded = consumer({
  name: 'on-suppression-added',
  from: 'contacts-consent',
  event: SuppressionAddedSchema,
  batch: 200,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const news = await firstTime(em, events)
      await noteRefusals(em, ctx.workspaceId, news.map(({ data }) => data.contactId).filter(isUuid))
      await rememberWithdrawals(
        em,
        ctx.workspaceId,
        news
          .filter(({ data }) => data.reason === 'unsubscribe')
          .map(({ data, time }) => ({
            contactId: data.contactId,
            audienceId: data.audienceId ?? null,
            at: data.at === undefined ? time : timestampDate(data.at),
          })),
      )
    })
  },
})
