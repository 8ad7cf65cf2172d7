import { setTimeout as sleep } from 'node:timers/promises'
import {
  AuditRecordedSchema,
  RunCancelledSchema,
  RunPausedSchema,
  RunResumedSchema,
  RunStartedSchema,
  RunUnscheduledSchema,
} from '@lettergate/contracts/events/v1/events'
import { column, columns, kyselyOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { endAlert, publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { CampaignRun, requireRun, startedNow, runReply } from './campaign-run.entity.ts'
import { publishAgain } from './delivery-batch.entity.ts'
import { finishRun } from './finish-run.ts'
import { nextState, refusalMessage, type RunAction } from './run-controls.ts'
import { countSent } from './run-recipient.entity.ts'
import type { RunState } from './run-states.ts'
import { setCampaignStatus } from './set-campaign-status.ts'

const lockedColumns = {
  ...columns(CampaignRun, 'id'),
  campaignId: column.uuid(),
  state: column.text<RunState>(),
  isDue: column.boolean(),
  hasStarted: column.boolean(),
  isResend: column.boolean(),
}
const lockState = statement('lock-campaign-run', lockedColumns)
type LockedRun = RowOf<typeof lockedColumns>

const announced = {
  pause: { action: 'campaign_run_paused', event: (em: Em, ids: Ids) => publish(em, RunPausedSchema, ids) },
  resume: { action: 'campaign_run_resumed', event: (em: Em, ids: Ids) => publish(em, RunResumedSchema, ids) },
  cancel: { action: 'campaign_run_cancelled', event: (em: Em, ids: Ids) => publish(em, RunCancelledSchema, ids) },
  unschedule: {
    action: 'campaign_run_unscheduled',
    event: (em: Em, ids: Ids) => publish(em, RunUnscheduledSchema, ids),
  },
} as const

/** Longer than the database waits for a stopped worker (`idleTransactionMs`), whose lock it then releases. */
const lockTimeoutMs = 4_000

const countsMax = 3

/** The alerts about a run that paused itself. They end when a person resumes or cancels the run. */
const pauseAlerts = ['run_breaker_tripped', 'run_overdue']

interface Ids {
  runId: string
  campaignId: string
}

/**
 * Changes the state of a run. Fault `failed_precondition` without any change if the action does not fit the state. After the
 * reply no message of a paused or ended run is claimed; messages claimed before still go out. The recipients are counted after
 * the change is committed, so that a run of any size can be paused. Fault `unavailable` with the reason `run_counts` says that
 * the run was changed, but its recipients were not counted.
 */
export async function controlRun(ctx: Ctx, runId: string, action: RunAction) {
  const changed = await changeRun(ctx, runId, action)
  ctx.wakeWorkers()
  return { campaignRun: runReply(changed, await countPatiently(ctx, changed)) }
}

/** Counts again after an outage: the caller must not send the action again, because the run is changed. */
async function countPatiently(ctx: Ctx, { id, state }: Awaited<ReturnType<typeof requireRun>>) {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await ctx.tx((em) => countSent(em, ctx.workspaceId, id))
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'unavailable') throw error
      if (attempt === countsMax)
        throw new Fault(
          'unavailable',
          'run_counts',
          `The run is now ${state}, but its recipients could not be counted. Read the run in a moment, and do not send the action again.`,
          { cause: error },
        )
      await sleep(100 * attempt)
    }
}

function changeRun(ctx: Ctx, runId: string, action: RunAction) {
  const { workspaceId, caller } = ctx
  return ctx.tx(
    async (em) => {
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
      if (run.state === 'paused') for (const code of pauseAlerts) await endAlert(em, code, runId)
      if (to === 'sending') await continueRun(em, workspaceId, run)
      return requireRun(em, workspaceId, runId)
    },
    { lockTimeoutMs },
  )
}

/** Waits for claims that are being committed and locks the run until the end of the transaction. */
async function lockRun(em: Em, workspaceId: string, runId: string): Promise<LockedRun> {
  const run = await lockState.row(
    em,
    sql`select id, campaign_id as "campaignId", state, scheduled_for <= now() as "isDue", started_at is not null as "hasStarted", resends_run_id is not null as "isResend"
          from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} for update`,
  )
  return run!
}

/** Stores the new state. Pausing a run does not change the status of its campaign. */
async function changeState(em: Em, workspaceId: string, run: LockedRun, to: RunState): Promise<void> {
  const isEnd = to === 'cancelled' || to === 'unscheduled'
  const changed = kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ state: to, held_by: null, has_leftovers: isEnd })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', run.id)
    .where('state', '=', run.state)
  await (to === 'sending' ? changed.set(startedNow) : changed).execute()
  if (to !== 'paused') await setCampaignStatus(em, workspaceId, run.campaignId, to)
}

async function continueRun(em: Em, workspaceId: string, run: LockedRun): Promise<void> {
  if (!run.hasStarted) await publish(em, RunStartedSchema, { runId: run.id, campaignId: run.campaignId })
  await publishAgain(em, workspaceId, run.id)
  await finishRun(em, workspaceId, run.id)
}
