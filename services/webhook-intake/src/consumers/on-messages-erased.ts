import { MessagesErasedSchema, PersonalDataErasedSchema } from '@lettergate/contracts/events/v1/events'
import type { Context } from '@lettergate/database'
import { consumer, firstTime, publish } from '@lettergate/events'
import { eraseMessages } from '../db/erased-message.entity.ts'
import { isUuid } from '@lettergate/values/uuid'

/** Removes personal data from the stored events of an erased contact's messages, and publishes how many events there were. */
export const onMessagesErased = consumer({
  name: 'on-messages-erased',
  from: 'campaigns-delivery',
  event: MessagesErasedSchema,
  async handle(ctx: Context<object>, events) {
    await ctx.tx(async (em) => {
      for (const { data } of await firstTime(em, events)) {
        const { erasureId, messageIds, part, parts } = data
        const removed = await eraseMessages(em, ctx.workspaceId, messageIds.filter(isUuid))
        await publish(em, PersonalDataErasedSchema, {
          erasureId,
          service: 'webhook-intake',
          part,
          parts,
          removed: { provider_events: removed },
        })
      }
    })
  },
})
