import type { ApplyTagRequest, ApplyTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { TagAddedSchema } from '@lettergate/contracts/events/v1/events'
import { row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { countedTag, holdTag, namesCarried } from '../tags/tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag, tagsMax } from '../tags/tag-names.ts'

/**
 * Gives a contact a tag, by name or id; a name that is not in the catalogue is registered. Announced when the contact
 * did not have it. Fault `failed_precondition` for one tag too many.
 */
export async function applyTag(ctx: Ctx, req: ApplyTagRequest): Promise<Reply<typeof ApplyTagResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)
  const named = parseTag('tag', req.tag)

  return ctx.tx(async (em) => {
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw notFound('contact')
    const tag = await holdTag(em, workspaceId, named)
    const before = await row<{ tags: string[] }>(
      em,
      sql`select tags from contacts where workspace_id = ${workspaceId} and id = ${contactId}`,
    )
    let { tags } = before!
    const carried = await namesCarried(em, workspaceId, [tag.name])
    if (!tags.some((name) => carried.includes(name))) {
      if (tags.length >= tagsMax) {
        throw new Fault(
          'failed_precondition',
          'tag',
          `tag: this contact has ${tagsMax} tags, and no contact may have more. Remove one first.`,
        )
      }
      const changed = await row<{ tags: string[] }>(
        em,
        sql`update contacts set tags = tags || ${tag.name}::text, updated_at = now()
             where workspace_id = ${workspaceId} and id = ${contactId} returning tags`,
      )
      tags = changed!.tags
      await publish(em, TagAddedSchema, { contactId, tag: tag.name })
    }
    return { tag: await countedTag(em, workspaceId, tag.id), contact: { id: contactId, tags } }
  })
}
