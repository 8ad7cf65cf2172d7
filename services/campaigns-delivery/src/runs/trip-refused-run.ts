import { column, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { CampaignRun } from './campaign-run.entity.ts'
import { pauseItself } from './pause-itself.ts'
import { judgeRefusals } from './run-breaker.ts'

const countRefused = statement('count-refused-recipients', { tried: column.integer(), refused: column.integer() })

/** Pauses the run of a refused recipient if the provider refuses almost every recipient of the batch. */
export async function tripRefusedRun(
  em: Em,
  { workspaceId, originId: runId, batch }: { workspaceId: string; originId: string; batch: number },
): Promise<void> {
  const counts = await countRefused.row(
    em,
    sql`select count(*)::int as tried, count(*) filter (where state = 'failed')::int as refused from hand_offs
         where workspace_id = ${workspaceId} and origin_id = ${runId} and batch = ${batch} and recipient_count = 1
           and state in ('accepted', 'failed', 'unknown')`,
  )
  const now = { batch, ...counts! }
  if (!judgeRefusals(now, undefined)) return
  const run = await kyselyOf(em, CampaignRun)
    .selectFrom('campaign_runs')
    .select('judged_from')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .executeTakeFirstOrThrow()
  const why = judgeRefusals(now, run.judged_from.refusals)
  if (why) await pauseItself(em, workspaceId, { runId, now: { refusals: now }, from: run.judged_from, why })
}
