import { AlertRaisedSchema, AuditRecordedSchema, RunPausedSchema } from '@lettergate/contracts/events/v1/events'
import { columns, kyselyOf, prepared, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { waitForFacts } from '../messages/message-fact.entity.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { judgeRun, type BreakerLimits, type PausedBy, type SettledCounts } from './run-breaker.ts'
import { outcomesOfRun } from './run-tally.entity.ts'

const selectSending = statement('select-sending-runs', columns(CampaignRun, 'id', 'judged_from'))

/**
 * Pauses those of these runs that are being sent and exceeded a limit, in the transaction that stored the facts. Messages
 * claimed before still go out. Of concurrent transactions the last one sees the facts of all.
 */
export async function tripRunBreakers(
  em: Em,
  workspaceId: string,
  { runIds, limits }: { runIds: Iterable<string>; limits: BreakerLimits },
): Promise<void> {
  const ids = [...new Set(runIds)]
  if (ids.length === 0) return
  const sending = await selectSending.rows(
    em,
    prepared(
      sql`select id, judged_from from campaign_runs where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'sending' order by id`,
    ),
  )
  if (sending.length === 0) return
  await waitForFacts(
    em,
    'judge',
    sending.map(({ id }) => id),
  )
  for (const { id, judged_from } of sending) {
    const { delivered, hardBounced, complained } = await outcomesOfRun(em, workspaceId, id)
    const now = { settled: delivered + hardBounced, complained, hard_bounced: hardBounced }
    const why = judgeRun(now, judged_from, limits)
    if (why) await pause(em, workspaceId, { runId: id, now, from: judged_from, why })
  }
}

async function pause(
  em: Em,
  workspaceId: string,
  { runId, now, from, why }: { runId: string; now: SettledCounts; from: SettledCounts; why: PausedBy },
): Promise<void> {
  const paused = await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ state: 'paused', held_by: null, paused_by: why, judged_from: now })
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
    summary: 'A campaign run paused itself because too many recipients complained or bounced. Resume or cancel it.',
    detail: { run_id: runId, ...why },
  })
}
