import type { ApplyTagRequest, ApplyTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { AuditRecordedSchema, TagAddedSchema } from '@lettergate/contracts/events/v1/events'
import { column, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { contactExists } from './contact.entity.ts'
import { tagNamesOf } from '../tags/contact-tag.entity.ts'
import { countedTag, holdTag } from '../tags/tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag, tagsMax } from '../tags/tag-names.ts'

const selectTags = statement('select-tags-of-contact', { tags: column.texts() })

/**
 * Adds a tag to a contact, by name or id. An unknown name is added to the catalogue. Publishes an event if the contact did not
 * have the tag. Fault `failed_precondition` above the limit of tags.
 */
export async function applyTag(ctx: Ctx, req: ApplyTagRequest): Promise<Reply<typeof ApplyTagResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)
  const named = parseTag('tag', req.tag)

  return ctx.tx(async (em) => {
    if (!(await contactExists(em, workspaceId, contactId))) throw notFound('contact')
    // Locks the tag before the contact, like upserts, so that there are no deadlocks.
    const tag = await holdTag(em, workspaceId, named)
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw notFound('contact')
    const before = await tagsOf(em, workspaceId, contactId)
    const isNew = !before.includes(tag.name)
    if (isNew) {
      if (before.length >= tagsMax) {
        throw new Fault(
          'failed_precondition',
          'tag',
          `tag: this contact has ${tagsMax} tags, and no contact may have more. Remove one first.`,
        )
      }
      await appendTag(em, workspaceId, contactId, tag.id)
      await publish(em, TagAddedSchema, { contactId, tag: tag.name, tagId: tag.id })
      await publish(em, AuditRecordedSchema, {
        action: 'contact_tag_added',
        subjectType: 'contact',
        subjectId: contactId,
        actor: ctx.caller.actor,
        detail: { tag_id: tag.id },
      })
    }
    const tags = isNew ? [...before, tag.name] : before
    return { tag: await countedTag(em, workspaceId, tag.id), contact: { id: contactId, tags } }
  })
}

async function tagsOf(em: Em, workspaceId: string, contactId: string): Promise<string[]> {
  const found = await selectTags.row(em, sql`select ${tagNamesOf(workspaceId, sql`${contactId}`)} as tags`)
  return found!.tags
}

const insertTag = statement('append-contact-tag')

const appendTag = (em: Em, workspaceId: string, contactId: string, tagId: string) =>
  insertTag.execute(
    em,
    sql`with changed as (
          update contacts set updated_at = now() where workspace_id = ${workspaceId} and id = ${contactId})
        insert into contact_tags (workspace_id, contact_id, tag_id, position)
        select ${workspaceId}::uuid, ${contactId}::uuid, ${tagId}::uuid, coalesce(max(position), 0) + 1
          from contact_tags where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
  )
