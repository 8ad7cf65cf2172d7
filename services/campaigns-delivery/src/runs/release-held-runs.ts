import { columns, sql, statement } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import type { ReadinessChecks } from '../gates/run-readiness.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { failRun, holdRun, releaseRun } from './hold-run.ts'

const selectHeld = statement('select-held-runs', columns(CampaignRun, 'workspace_id', 'id', 'sender_identity_id'))

/** Checks every held run again: releases it, or stores what holds it now. Returns how many were released. */
export async function releaseHeldRuns(ctx: Ctx, readinessChecks: ReadinessChecks, each: OneByOne): Promise<number> {
  const held = await ctx.tx((em) =>
    selectHeld.rows(
      em,
      sql`select workspace_id, id, sender_identity_id from campaign_runs
           where state = 'sending' and held_by is not null and id <> all(${each.postponed()}::uuid[]) order by started_at`,
    ),
  )
  let released = 0
  await each.forEach(held, async ({ workspace_id: workspaceId, id, sender_identity_id }) => {
    const own = ctx.inWorkspace(workspaceId)
    const readiness = await readinessChecks.check(own, sender_identity_id)
    if (readiness.kind === 'held') await own.tx((em) => holdRun(em, workspaceId, id, readiness.by))
    else if (readiness.kind === 'gone') await own.tx((em) => failRun(em, workspaceId, id, readiness.reason))
    else {
      await own.tx((em) => releaseRun(em, workspaceId, id))
      released += 1
    }
  })
  return released
}
