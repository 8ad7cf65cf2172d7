import type { RemoveTagRequest, RemoveTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { AuditRecordedSchema, TagRemovedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { findTag } from '../tags/tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { ContactTag } from '../tags/contact-tag.entity.ts'
import { Contact } from './contact.entity.ts'

/** Removes a tag from a contact, by name or id. Publishes an event if the contact had it; otherwise nothing changes. */
export async function removeTag(ctx: Ctx, req: RemoveTagRequest): Promise<Reply<typeof RemoveTagResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)

  await ctx.tx(async (em) => {
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw notFound('contact')
    const tag = await findTag(em, workspaceId, req.tag)
    if (!tag) throw notFound('tag')
    const removed = await em.nativeDelete(ContactTag, { workspaceId, contactId, tagId: tag.id })
    if (removed === 0) return
    await kyselyOf(em, Contact)
      .updateTable('contacts')
      .set({ updated_at: sql`now()` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', contactId)
      .execute()
    await publish(em, TagRemovedSchema, { contactId, tag: tag.name, tagId: tag.id })
    await publish(em, AuditRecordedSchema, {
      action: 'contact_tag_removed',
      subjectType: 'contact',
      subjectId: contactId,
      actor: ctx.caller.actor,
      detail: { tag_id: tag.id },
    })
  })
  return { deleted: true }
}
