import type { RemoveTagRequest, RemoveTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { TagRemovedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { findTag, namesCarried } from '../tags/tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'

/** Takes a tag, by name or id, from a contact. Announced when the contact had it; otherwise nothing changes. */
export async function removeTag(ctx: Ctx, req: RemoveTagRequest): Promise<Reply<typeof RemoveTagResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)

  await ctx.tx(async (em) => {
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw notFound('contact')
    const tag = await findTag(em, workspaceId, req.tag)
    if (!tag) throw notFound('tag')
    const names = await namesCarried(em, workspaceId, [tag.name])
    const changed = await execute(
      em,
      sql`update contacts
             set tags = array(select t from unnest(tags) with ordinality as had (t, n) where t <> all(${names}::text[]) order by n),
                 updated_at = now()
           where workspace_id = ${workspaceId} and id = ${contactId} and tags && ${names}::text[]`,
    )
    if (changed > 0) await publish(em, TagRemovedSchema, { contactId, tag: tag.name })
  })
  return { deleted: true }
}
