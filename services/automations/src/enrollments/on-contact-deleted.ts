import { ContactDeletedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { removeContact } from './remove-contact.ts'

/** Removes a deleted contact from its automations. */
export const onContactDeleted = consumer({
  name: 'on-contact-deleted',
  from: 'contacts-consent',
  event: ContactDeletedSchema,
  async handle(ctx: Ctx, events) {
    await ctx.tx(async (em) => {
      for (const { data } of await firstTime(em, events)) {
        const { contactId } = data
        if (isUuid(contactId))
          await removeContact(em, ctx.workspaceId, { contactId, reason: 'contact_deleted', at: ctx.now() })
      }
    })
  },
})
