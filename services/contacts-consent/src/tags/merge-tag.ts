import type { MergeTagRequest, MergeTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { execute, rows, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { beginTagChange } from './tag-change.entity.ts'
import { findTag, type TagRow } from './tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag } from './tag-names.ts'
import { changeTag } from './change-tag.ts'

/**
 * Ends one tag in favour of another, at once in the catalogue; contacts follow in batches, if need be after the answer.
 * Who has both keeps one. Fires no trigger.
 */
export async function mergeTag(ctx: Ctx, req: MergeTagRequest): Promise<Reply<typeof MergeTagResponseSchema>> {
  const { workspaceId } = ctx
  const tagId = pathId('tag', req.tagId)
  const into = parseTag('into', req.into)

  const begun = await ctx.tx(async (em) => {
    const target = await findTag(em, workspaceId, into)
    const held = await rows<TagRow>(
      em,
      sql`select id, name from tags where workspace_id = ${workspaceId} and id = any(${[tagId, target?.id ?? tagId]}::uuid[])
           order by id for update`,
    )
    const from = held.find((tag) => tag.id === tagId)
    const to = held.find((tag) => tag.id === target?.id)
    if (!from) throw notFound('tag')
    if (!to) {
      throw new Fault('invalid_argument', 'into', 'into names no tag of this workspace. Send the name or id of one.')
    }
    if (to.id === from.id) {
      throw new Fault('invalid_argument', 'into', 'into is the tag itself. Send the name or id of another one.')
    }
    const change = { kind: 'merged', tagId: from.id, from: from.name, to: to.name, intoId: to.id } as const
    const changeId = await beginTagChange(em, workspaceId, ctx.caller.actor, change)
    await execute(em, sql`delete from tags where workspace_id = ${workspaceId} and id = ${from.id}`)
    return { changeId, stays: to.id }
  })
  return changeTag(ctx, begun.changeId, begun.stays)
}
