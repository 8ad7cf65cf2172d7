import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, kyselyOf, nullable, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { isPending } from './run-recipient.entity.ts'

const runsAtOnce = 5

const selectUnchecked = statement('select-unchecked-runs', columns(CampaignRun, 'workspace_id', 'id'))

/**
 * Checks each run that is over, once its recipients have been ended and no call is under way. Raises an alert if a recipient
 * was neither handed over nor skipped nor failed; this should never happen.
 */
export async function checkEnds(ctx: Ctx, each: OneByOne): Promise<void> {
  const over = await ctx.tx((em) =>
    selectUnchecked.rows(
      em,
      sql`select r.workspace_id, r.id from campaign_runs r
           where r.ends_checked_at is null and r.state in ('completed', 'cancelled', 'unscheduled', 'failed') and not r.has_leftovers
             and not exists (select from hand_offs h where h.origin_id = r.id and h.state = 'claimed')
             and r.id <> all(${each.postponed()}::uuid[]) order by r.id limit ${runsAtOnce}`,
    ),
  )
  await each.forEach(over, ({ workspace_id: workspaceId, id }) =>
    ctx.inWorkspace(workspaceId).tx((em) => check(em, workspaceId, id), { isLong: true, statementTimeoutMs: 120_000 }),
  )
}

const countPending = statement('count-pending-recipients', {
  count: column.integer(),
  first: nullable(column.text()),
})

async function check(em: Em, workspaceId: string, runId: string): Promise<void> {
  const run = await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ ends_checked_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('ends_checked_at', 'is', null)
    .returning('campaign_id')
    .executeTakeFirst()
  if (!run) return
  const found = await countPending.row(
    em,
    sql`select count(*)::int as count, min(r.id::text) as first from run_recipients r
         where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and ${isPending}`,
  )
  if (found!.count === 0) return
  await publish(em, AlertRaisedSchema, {
    code: 'recipients_without_end',
    severity: 'critical',
    summary:
      'A campaign run is over and some of its recipients were neither handed over nor skipped nor failed. No email was sent because of this, but the report does not add up.',
    about: runId,
    detail: { run_id: runId, campaign_id: run.campaign_id, recipients: found!.count, first_message_id: found!.first },
  })
}
