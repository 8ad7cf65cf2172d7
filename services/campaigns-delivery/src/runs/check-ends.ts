import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, kyselyOf, nullable, sql, statement, type Em } from '@lettergate/database'
import { endAlert, publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from './campaign-run.entity.ts'
import { isPending } from './run-recipient.entity.ts'

const alertCode = 'recipients_without_end'
const runsAtOnce = 5

/** A query that finds a row while the alert of a run is open. */
export const runsWithoutEnd = 'select from campaign_runs where message_without_end is not null'

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

/** Counts the recipients of a run without an end, and stores the first one. */
async function findPending(em: Em, workspaceId: string, runId: string) {
  const found = await countPending.row(
    em,
    sql`select count(*)::int as count, min(r.id::text) as first from run_recipients r
         where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and ${isPending}`,
  )
  await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ message_without_end: found!.first })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('message_without_end', 'is distinct from', found!.first)
    .execute()
  return found!
}

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
  const { count, first } = await findPending(em, workspaceId, runId)
  if (count === 0) return
  await publish(em, AlertRaisedSchema, {
    code: alertCode,
    severity: 'critical',
    summary:
      'A campaign run is over and some of its recipients were neither handed over nor skipped nor failed. No email was sent because of this, but the report does not add up.',
    about: runId,
    detail: { run_id: runId, campaign_id: run.campaign_id, recipients: count, first_message_id: first },
  })
}

const selectEnded = statement('select-runs-whose-message-ended', columns(CampaignRun, 'workspace_id', 'id'))

/**
 * Ends the alert of each run whose last recipient without an end has one now, or does not exist any more. Only the stored message is
 * read while it has no end.
 */
export async function checkEndsAgain(ctx: Ctx, each: OneByOne): Promise<void> {
  const changed = await ctx.tx((em) =>
    selectEnded.rows(
      em,
      sql`select c.workspace_id, c.id from campaign_runs c
           where c.message_without_end is not null and c.id <> all(${each.postponed()}::uuid[])
             and not exists (select from run_recipients r where r.id = c.message_without_end and ${isPending})
           order by c.id limit ${runsAtOnce}`,
    ),
  )
  await each.forEach(changed, ({ workspace_id: workspaceId, id }) =>
    ctx.inWorkspace(workspaceId).tx(
      async (em) => {
        const { count } = await findPending(em, workspaceId, id)
        if (count === 0) await endAlert(em, alertCode, id)
      },
      { isLong: true, statementTimeoutMs: 120_000 },
    ),
  )
}
