import { ContactErasedSchema, PersonalDataErasedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime, publish } from '@lettergate/events'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { removeContact } from './remove-contact.ts'

/** Removes an erased contact from its automations, and announces what was removed. */
export const onContactErased = consumer({
  name: 'on-contact-erased',
  from: 'contacts-consent',
  event: ContactErasedSchema,
  async handle(ctx: Ctx, events) {
    await ctx.tx(async (em) => {
      for (const { data } of await firstTime(em, events)) {
        const { contactId, erasureId } = data
        if (!isUuid(contactId)) continue
        const removed = await removeContact(em, ctx.workspaceId, { contactId, reason: 'contact_erased', at: ctx.now() })
        await publish(em, PersonalDataErasedSchema, {
          erasureId,
          service: 'automations',
          part: 1,
          parts: 1,
          removed: { enrollment_reasons: removed.reasons, compared_values: removed.comparedValues },
        })
      }
    })
  },
})
