import { timestampDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isId } from '../values/identifier.ts'
import { recordWithdrawals } from './consent-withdrawal.entity.ts'
import { recordRefusals } from './refusal-heard.entity.ts'

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
      const newEvents = await firstTime(em, events)
      await recordRefusals(em, ctx.workspaceId, newEvents.map(({ data }) => data.contactId).filter(isId))
      await recordWithdrawals(
        em,
        ctx.workspaceId,
        newEvents
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
