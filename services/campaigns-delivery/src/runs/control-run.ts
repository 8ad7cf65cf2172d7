import {
  AuditRecordedSchema,
  RunCancelledSchema,
  RunPausedSchema,
  RunResumedSchema,
  RunStartedSchema,
  RunUnscheduledSchema,
} from '@lettergate/contracts/events/v1/events'
import { execute, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { requireRun, runReply } from './campaign-run.entity.ts'
import { finishRun } from './finish-run.ts'
import { nextState, refusalMessage, type ControlledRun, type RunAction } from './run-controls.ts'
import { countSent } from './run-recipient.entity.ts'
import { campaignStatusFor, type RunState } from './run-states.ts'

interface LockedRun extends ControlledRun {
  id: string
  campaignId: string
}

const announced = {
  pause: { action: 'campaign_run_paused', event: (em: Em, ids: Ids) => publish(em, RunPausedSchema, ids) },
  resume: { action: 'campaign_run_resumed', event: (em: Em, ids: Ids) => publish(em, RunResumedSchema, ids) },
  cancel: { action: 'campaign_run_cancelled', event: (em: Em, ids: Ids) => publish(em, RunCancelledSchema, ids) },
  unschedule: {
    action: 'campaign_run_unscheduled',
    event: (em: Em, ids: Ids) => publish(em, RunUnscheduledSchema, ids),
  },
} as const

interface Ids {
  runId: string
  campaignId: string
}

/**
 * Changes the state of a run. Fault `failed_precondition` without any change if the action does not fit the state. After the
 * reply no message of a paused or ended run is claimed; messages claimed before still go out.
 */
export function controlRun(ctx: Ctx, runId: string, action: RunAction) {
  const { workspaceId, caller } = ctx
  return ctx.tx(async (em) => {
    await requireRun(em, workspaceId, runId)
    const run = await lockRun(em, workspaceId, runId)
    const to = nextState(action, run)
    if (to === undefined) throw new Fault('failed_precondition', 'run_state', refusalMessage(action, run))
    await changeState(em, workspaceId, run, to)
    const ids = { runId, campaignId: run.campaignId }
    await announced[action].event(em, ids)
    await publish(em, AuditRecordedSchema, {
      action: announced[action].action,
      subjectType: 'campaign_run',
      subjectId: runId,
      actor: caller.actor,
      detail: { campaign_id: run.campaignId, from: run.state, to },
    })
    if (to === 'sending') await continueRun(em, workspaceId, run)
    const now = await requireRun(em, workspaceId, runId)
    return { campaignRun: runReply(now, await countSent(em, workspaceId, runId)) }
  })
}

/** Waits for claims that are being committed and locks the run until the end of the transaction. */
async function lockRun(em: Em, workspaceId: string, runId: string): Promise<LockedRun> {
  const run = await row<LockedRun>(
    em,
    sql`select id, campaign_id as "campaignId", state, scheduled_for <= now() as "isDue", started_at is not null as "hasStarted", resends_run_id is not null as "isResend"
          from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} for update`,
  )
  return run!
}

/** Stores the new state. Pausing a run does not change the status of its campaign. */
async function changeState(em: Em, workspaceId: string, run: LockedRun, to: RunState): Promise<void> {
  const isEnd = to === 'cancelled' || to === 'unscheduled'
  await execute(
    em,
    sql`update campaign_runs set state = ${to}, held_by = null, has_leftovers = ${isEnd},
               started_at = case when ${to === 'sending'}::boolean then coalesce(started_at, now()) else started_at end
         where workspace_id = ${workspaceId} and id = ${run.id} and state = ${run.state}`,
  )
  if (to !== 'paused')
    await execute(
      em,
      sql`update campaigns set status = ${campaignStatusFor(to)} where workspace_id = ${workspaceId} and id = ${run.campaignId}`,
    )
}

/** Makes the open batches due again. Workers that received them while the run was not being sent left them untouched. */
async function continueRun(em: Em, workspaceId: string, run: LockedRun): Promise<void> {
  if (!run.hasStarted) await publish(em, RunStartedSchema, { runId: run.id, campaignId: run.campaignId })
  await execute(
    em,
    sql`update delivery_batches set published_at = null where workspace_id = ${workspaceId} and run_id = ${run.id} and done_at is null and published_at is not null`,
  )
  await finishRun(em, workspaceId, run.id)
}
