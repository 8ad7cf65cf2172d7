import { timestampDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { recordWithdrawals } from './consent-withdrawal.entity.ts'
import { recordRefusals } from './refusal-heard.entity.ts'

/**
 * Stores suppressions, so that an older verdict about the contact is not used. A suppression with the reason `unsubscribe`
 * counts as a withdrawal like an unsubscribe by the recipient; other suppressions do not.
 */
export const onSuppressionAdded = consumer({
  name: 'on-suppression-added',
  from: 'contacts-consent',
  event: SuppressionAddedSchema,
  batch: 200,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const newEvents = await firstTime(em, events)
      await recordRefusals(em, ctx.workspaceId, newEvents.map(({ data }) => data.contactId).filter(isUuid))
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
