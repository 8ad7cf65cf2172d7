import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { sql, statement } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'

const keepWorkspace = statement('keep-workspace')

/** Stores the newest state of each workspace, with events in any order. */
export const onWorkspaceChanged = consumer({
  name: 'on-workspace-changed',
  from: 'gateway',
  event: WorkspaceChangedSchema,
  async handle(ctx: Ctx, events) {
    for (const event of events) {
      const { workspaceId, organization, workspace, name, isArchived } = event.data
      await ctx.inWorkspace(workspaceId).tx(async (em) => {
        if ((await firstTime(em, [event])).length === 0) return
        await keepWorkspace.execute(
          em,
          sql`insert into workspaces as known (workspace_id, organization, slug, name, is_archived, changed_at)
              values (${workspaceId}, ${organization}, ${workspace}, ${name}, ${isArchived}, ${event.time})
              on conflict (workspace_id) do update
                set organization = excluded.organization, slug = excluded.slug, name = excluded.name,
                    is_archived = excluded.is_archived, changed_at = excluded.changed_at
              where known.changed_at <= excluded.changed_at`,
        )
      })
    }
  },
})
