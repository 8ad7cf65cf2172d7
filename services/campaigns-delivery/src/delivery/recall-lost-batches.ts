import { sql, statement } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'

/**
 * A published batch older than this is lost, or its worker died. The shorter time applies when the queue is empty. A
 * duplicate message is harmless.
 */
const lostAfterSeconds = { whenEmpty: 15, inAnyCase: 60 }
const batchesOfRunMax = 1_000

const recallLost = statement('recall-lost-batches')

/** Makes batches with a lost message due again. Returns how many. */
export function recallLostBatches(ctx: Pick<Ctx, 'tx'>, queueIsEmpty: boolean): Promise<number> {
  const seconds = queueIsEmpty ? lostAfterSeconds.whenEmpty : lostAfterSeconds.inAnyCase
  return ctx.tx((em) =>
    recallLost.execute(
      em,
      sql`with lost as (
            select b.run_id, b.batch from campaign_runs r cross join lateral (
              select o.run_id, o.batch from delivery_batches o
               where o.run_id = r.id and o.done_at is null and o.published_at < now() - ${seconds} * interval '1 second'
               limit ${batchesOfRunMax} for update of o skip locked) as b
             where r.state = 'sending' and r.held_by is null)
          update delivery_batches b set published_at = null from lost where b.run_id = lost.run_id and b.batch = lost.batch`,
    ),
  )
}
