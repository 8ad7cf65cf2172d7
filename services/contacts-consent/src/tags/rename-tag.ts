import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { RenameTagRequest, RenameTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { isUniqueViolation } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { countedTag, holdForChange, Tag } from './tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag } from './tag-names.ts'

const taken = () =>
  new Fault('conflict', 'name', 'Another tag has this name. Choose another name, or merge this tag into that one.')

/** Renames a tag. Contacts refer to its id, so no contact is written. It fires no trigger. The same name changes nothing. */
export async function renameTag(ctx: Ctx, req: RenameTagRequest): Promise<Reply<typeof RenameTagResponseSchema>> {
  const { workspaceId } = ctx
  const tagId = pathId('tag', req.tagId)
  const name = parseTag('name', req.name)

  const renamed = ctx.tx(async (em) => {
    const [before] = await holdForChange(em, workspaceId, [tagId])
    if (!before) throw notFound('tag')
    const isSame = before.name === name
    if (!isSame) await em.nativeUpdate(Tag, { workspaceId, id: tagId }, { name })
    const tag = await countedTag(em, workspaceId, tagId)
    if (isSame) return { tag, contactsChanged: 0, isComplete: true }
    await publish(em, AuditRecordedSchema, {
      action: 'tag_renamed',
      subjectType: 'tag',
      subjectId: tagId,
      actor: ctx.caller.actor,
      detail: { from: before.name, to: name, contacts_changed: tag.contactCount },
    })
    return { tag, contactsChanged: tag.contactCount, isComplete: true }
  })
  return renamed.catch((error: unknown) => {
    throw isUniqueViolation(error, 'tags_name') ? taken() : error
  })
}
