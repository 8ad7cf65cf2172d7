import type {
  GetCampaignRunTimelineRequest,
  GetCampaignRunTimelineResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { requireRun } from '../runs/campaign-run.entity.ts'
import { sentByTime } from '../runs/run-recipient.entity.ts'
import { bucketFor } from './timeline.ts'

/** Recipients by kind, in one minute or hour. */
const people = {
  handed_off: column.integer(),
  delivered: column.integer(),
  bounced: column.integer(),
  opened: column.integer(),
  clicked: column.integer(),
  complained: column.integer(),
  unsubscribed: column.integer(),
}
const selectTimeline = statement('select-run-timeline', { at: column.timestamptz(), ...people })

/**
 * Returns for each minute or hour of a run how many recipients had each event, read at one moment. Times without events are
 * left out.
 */
export async function getCampaignRunTimeline(
  ctx: Ctx,
  req: GetCampaignRunTimelineRequest,
): Promise<Reply<typeof GetCampaignRunTimelineResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, workspaceId, req.runId)
      const bucket = bucketFor(req.bucket, run.started_at === null ? null : new Date(run.started_at), ctx.now())
      const found = await selectTimeline.rows(
        em,
        sql`with people as (
              select kind, minute as at, people from run_timeline where workspace_id = ${workspaceId} and run_id = ${run.id}
              union all
              select 'handed_off', at, people from (${sentByTime(run.id)}) as handed_off),
            summed as (select date_trunc(${bucket}, at, 'UTC') as at, kind, sum(people)::int as people from people group by 1, 2)
            select at, ${sql.join(
              Object.keys(people).map(
                (kind) => sql`coalesce(sum(people) filter (where kind = ${kind}), 0)::int as ${sql.ref(kind)}`,
              ),
            )}
              from summed where people <> 0 group by at order by at`,
      )
      const timeline = found.map(({ at, handed_off: handedOff, ...others }) => ({
        at: moment(at),
        handedOff,
        ...others,
      }))
      return { bucket, timeline }
    },
    { isSnapshot: true },
  )
}
