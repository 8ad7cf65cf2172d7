import {
  AlertRaisedSchema,
  AuditRecordedSchema,
  RunPausedSchema,
  RunStartedSchema,
} from '@lettergate/contracts/events/v1/events'
import { column, columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { systemCaller, type CallScope } from '@lettergate/service'
import type { OneByOne } from '@lettergate/service/one-by-one'
import { traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { CampaignRun, startedNow } from './campaign-run.entity.ts'
import { finishRun } from './finish-run.ts'
import { setCampaignStatus } from './set-campaign-status.ts'

const runsAtOnce = 50

const selectDue = statement('select-due-runs', columns(CampaignRun, 'workspace_id', 'id', 'correlation_id', 'trace'))

/**
 * Starts every run whose time has come by the database clock. Compare-and-set lets one worker start a run. A closed gate
 * holds the started run. A run that is too late is paused for a person to decide. Returns how many were started here.
 */
export async function startDueRuns(ctx: Ctx, ctxOf: (scope: CallScope) => Ctx, each: OneByOne): Promise<number> {
  const due = await ctx.tx((em) =>
    selectDue.rows(
      em,
      sql`select workspace_id, id, correlation_id, trace from campaign_runs
           where state = 'scheduled' and scheduled_for <= now() and id <> all(${each.postponed()}::uuid[])
           order by scheduled_for limit ${runsAtOnce}`,
    ),
  )
  let started = 0
  await each.forEach(due, async ({ workspace_id: workspaceId, id, correlation_id, trace }) => {
    const own = ctxOf({
      caller: { ...systemCaller('start-due-runs', correlation_id), workspaceId },
      deadline: Infinity,
      signal: ctx.signal,
    })
    if (await traced('start run', { parent: trace }, () => startRun(own, id))) started += 1
  })
  return started
}

function startRun(ctx: Ctx, runId: string): Promise<boolean> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => {
    if (await pauseOverdue(em, ctx, runId)) return false
    const started = await kyselyOf(em, CampaignRun)
      .updateTable('campaign_runs')
      .set({ state: 'sending', ...startedNow })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', runId)
      .where('state', '=', 'scheduled')
      .where('scheduled_for', '<=', sql<string>`now()`)
      .returning('campaign_id')
      .executeTakeFirst()
    if (!started) return false
    await setCampaignStatus(em, workspaceId, started.campaign_id, 'sending')
    await publish(em, RunStartedSchema, { runId, campaignId: started.campaign_id })
    await finishRun(em, workspaceId, runId)
    return true
  })
}

const pauseLate = statement('pause-overdue-run', {
  ...columns(CampaignRun, 'campaign_id'),
  late_seconds: column.integer(),
})

/**
 * Pauses a run that is too late, so that an email for the morning is not sent at night. Resuming sends it; cancelling does
 * not.
 */
async function pauseOverdue(em: Em, { workspaceId, caller, config }: Ctx, runId: string): Promise<boolean> {
  const overdue = await pauseLate.row(
    em,
    sql`update campaign_runs set state = 'paused'
         where workspace_id = ${workspaceId} and id = ${runId} and state = 'scheduled' and scheduled_for < now() - ${config.runLateMaxSeconds} * interval '1 second'
        returning campaign_id, extract(epoch from now() - scheduled_for)::int as late_seconds`,
  )
  if (!overdue) return false
  const detail = { campaign_id: overdue.campaign_id, late_seconds: overdue.late_seconds }
  await publish(em, RunPausedSchema, { runId, campaignId: overdue.campaign_id })
  await publish(em, AuditRecordedSchema, {
    action: 'campaign_run_paused',
    subjectType: 'campaign_run',
    subjectId: runId,
    actor: caller.actor,
    detail: { ...detail, from: 'scheduled', to: 'paused' },
  })
  await publish(em, AlertRaisedSchema, {
    code: 'run_overdue',
    severity: 'critical',
    summary: 'A campaign run could not start in time and was paused. Resume it to send it now, or cancel it.',
    about: runId,
    detail: { run_id: runId, ...detail },
  })
  return true
}
