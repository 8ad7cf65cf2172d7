import { AlertRaisedSchema, AuditRecordedSchema, RunPausedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { CampaignRun } from './campaign-run.entity.ts'
import type { JudgedFrom, PausedBy } from './run-breaker.ts'

/**
 * Pauses a run that is being sent and exceeded a limit, with an alert. `from` are the numbers from which it was judged: of
 * concurrent transactions only one pauses it. After a person resumes the run, it is judged from `now`.
 */
export async function pauseItself(
  em: Em,
  workspaceId: string,
  { runId, now, from, why }: { runId: string; now: Partial<JudgedFrom>; from: JudgedFrom; why: PausedBy },
): Promise<void> {
  const paused = await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ state: 'paused', held_by: null, paused_by: why, judged_from: { ...from, ...now } })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('state', '=', 'sending')
    .where('judged_from', '=', from)
    .returning('campaign_id')
    .executeTakeFirst()
  if (!paused) return
  await publish(em, RunPausedSchema, { runId, campaignId: paused.campaign_id })
  await publish(em, AuditRecordedSchema, {
    action: 'campaign_run_paused',
    subjectType: 'campaign_run',
    subjectId: runId,
    actor: 'system:run-breaker',
    detail: { campaign_id: paused.campaign_id, ...why },
  })
  await publish(em, AlertRaisedSchema, {
    code: 'run_breaker_tripped',
    severity: 'critical',
    summary:
      'A campaign run paused itself because too many recipients complained, bounced or were refused by the provider. Resume or cancel it.',
    about: runId,
    detail: { run_id: runId, ...why },
  })
}
