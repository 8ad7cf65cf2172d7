import { row, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { countedTag } from './tag.entity.ts'
import { followTagChange } from './follow-tag-change.ts'

/** A call may take five seconds; what is left after this goes on without it. */
const inCallMs = 2_500

/** Lets contacts follow while the caller waits, and says how far that came. */
export async function changeTag(ctx: Ctx, changeId: string, tagId: string) {
  const { workspaceId } = ctx
  await followTagChange(ctx, changeId, inCallMs)
  return ctx.tx(async (em) => {
    const change = await row<{ contactsChanged: number; isComplete: boolean }>(
      em,
      sql`select contacts_changed as "contactsChanged", completed_at is not null as "isComplete"
            from tag_changes where workspace_id = ${workspaceId} and id = ${changeId}`,
    )
    if (!change) throw new Error('a tag change was begun and is not there')
    return { tag: await countedTag(em, workspaceId, tagId), ...change }
  })
}
