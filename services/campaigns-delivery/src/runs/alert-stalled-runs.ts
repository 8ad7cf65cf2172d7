import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from './campaign-run.entity.ts'

const runsAtOnce = 100

/** Minutes without a hand-off after which a run is stalled, and after which the alert is raised again. */
const stalledMinutes = 15
/** The alert ends by itself when it was not raised again for this long. */
const alertLastsMinutes = 35

/** A run that is neither held nor in a cooldown has open batches and handed nothing over in the last minute. */
const isIdle = sql`(r.state = 'sending' and r.held_by is null
  and exists (select from delivery_batches b where b.workspace_id = r.workspace_id and b.run_id = r.id and b.done_at is null)
  and (select h.id from hand_offs h where h.workspace_id = r.workspace_id and h.origin_id = r.id and h.claimed_at > now() - interval '1 minute'
        order by h.origin_id desc, h.batch desc limit 1) is null
  and not exists (select from connection_holds c where c.workspace_id = r.workspace_id and c.connection_id = r.connection_id and c.until > now())
  and not exists (select from domain_holds d where d.workspace_id = r.workspace_id and d.connection_id = r.connection_id
                     and d.domain_name = r.domain_name and d.until > now()))`

const isStalled = sql`(idle_since < now() - ${stalledMinutes} * interval '1 minute'
  and (stall_alerted_at is null or stall_alerted_at < now() - ${stalledMinutes} * interval '1 minute'))`

const noteIdle = statement('note-idle-runs')
const selectStalled = statement('select-stalled-runs', columns(CampaignRun, 'workspace_id', 'id'))

/**
 * Raises an alert for each run that could be sent and has handed nothing over for 15 minutes: a service that delivery needs is
 * down or too slow, or its batches fail. Repeats the alert every 15 minutes, so that it ends by itself soon after the run
 * continued or ended. Only one worker raises it.
 */
export async function alertStalledRuns(ctx: Ctx, each: OneByOne): Promise<void> {
  const stalled = await ctx.tx(async (em) => {
    await noteIdle.execute(
      em,
      sql`with seen as (
            select r.workspace_id, r.id, ${isIdle} as is_idle from campaign_runs r where r.state = 'sending' or r.idle_since is not null),
          changed as (
            select r.workspace_id, r.id, s.is_idle from seen s join campaign_runs r using (workspace_id, id)
             where s.is_idle <> (r.idle_since is not null) for update of r skip locked)
          update campaign_runs r set idle_since = case when c.is_idle then now() end
            from changed c where r.workspace_id = c.workspace_id and r.id = c.id`,
    )
    return selectStalled.rows(
      em,
      sql`select workspace_id, id from campaign_runs
           where ${isStalled} and id <> all(${each.postponed()}::uuid[]) order by idle_since limit ${runsAtOnce}`,
    )
  })
  await each.forEach(stalled, ({ workspace_id, id }) =>
    ctx.inWorkspace(workspace_id).tx((em) => alert(em, workspace_id, id)),
  )
}

const takeAlert = statement('take-alert-of-stalled-run', {
  ...columns(CampaignRun, 'campaign_id', 'correlation_id'),
  since: column.timestamptz(),
  batches: column.integer(),
})

async function alert(em: Em, workspaceId: string, runId: string): Promise<void> {
  const stalled = await takeAlert.row(
    em,
    sql`update campaign_runs r set stall_alerted_at = now()
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and ${isStalled}
        returning r.campaign_id, r.correlation_id, r.idle_since as since, (
          select count(*)::int from delivery_batches b where b.workspace_id = r.workspace_id and b.run_id = r.id and b.done_at is null) as batches`,
  )
  if (!stalled) return
  await publish(em, AlertRaisedSchema, {
    code: 'run_not_progressing',
    severity: 'critical',
    summary:
      'A campaign run is being sent and has handed no message over for 15 minutes, although nothing holds it. Its recipients stay pending; none is lost.',
    about: runId,
    lastsSeconds: alertLastsMinutes * 60,
    detail: {
      run_id: runId,
      campaign_id: stalled.campaign_id,
      correlation_id: stalled.correlation_id,
      open_batches: stalled.batches,
      since: new Date(stalled.since).toISOString(),
    },
  })
}
