import type { RenameTagRequest, RenameTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { execute, isUniqueViolation, row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { beginTagChange } from './tag-change.entity.ts'
import { countedTag } from './tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag } from './tag-names.ts'
import { changeTag } from './change-tag.ts'

const taken = () =>
  new Fault('conflict', 'name', 'Another tag has this name. Choose another name, or merge this tag into that one.')

/**
 * Gives a tag another name, at once in the catalogue; its contacts follow in batches, if need be after the answer. Fires
 * no trigger. The name that it has already changes nothing.
 */
export async function renameTag(ctx: Ctx, req: RenameTagRequest): Promise<Reply<typeof RenameTagResponseSchema>> {
  const { workspaceId } = ctx
  const tagId = pathId('tag', req.tagId)
  const name = parseTag('name', req.name)

  const changeId = await ctx
    .tx(async (em) => {
      const tag = await row<{ name: string }>(
        em,
        sql`select name from tags where workspace_id = ${workspaceId} and id = ${tagId} for update`,
      )
      if (!tag) throw notFound('tag')
      if (tag.name === name) return null
      const begun = await beginTagChange(em, workspaceId, ctx.caller.actor, {
        kind: 'renamed',
        tagId,
        from: tag.name,
        to: name,
      })
      await execute(em, sql`update tags set name = ${name} where workspace_id = ${workspaceId} and id = ${tagId}`)
      return begun
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'tags_name') ? taken() : error
    })
  if (changeId !== null) return changeTag(ctx, changeId, tagId)
  return { tag: await ctx.tx((em) => countedTag(em, workspaceId, tagId)), contactsChanged: 0, isComplete: true }
}
