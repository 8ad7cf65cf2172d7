import { rows, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { followTagChange } from './follow-tag-change.ts'

const eachForMs = 10_000

/** Goes on with every rename and merge whose call ran out of time, or whose process died. Answers how many it found. */
export async function finishTagChanges(ctx: Ctx): Promise<number> {
  const running = await ctx.tx((em) =>
    rows<{ workspace_id: string; id: string }>(
      em,
      sql`select workspace_id, id from tag_changes where completed_at is null order by requested_at`,
    ),
  )
  for (const { workspace_id: workspaceId, id } of running) {
    await followTagChange(ctx.inWorkspace(workspaceId), id, eachForMs)
  }
  return running.length
}
