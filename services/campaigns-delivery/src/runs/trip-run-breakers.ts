import { columns, prepared, sql, statement, type Em } from '@lettergate/database'
import { waitForFacts } from '../messages/message-fact.entity.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { judgeRun, type BreakerLimits } from './run-breaker.ts'
import { pauseItself } from './pause-itself.ts'
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
    if (why) await pauseItself(em, workspaceId, { runId: id, now, from: judged_from, why })
  }
}
