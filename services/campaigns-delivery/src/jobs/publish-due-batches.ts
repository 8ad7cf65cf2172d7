import { execute, rows, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import type { BatchKey } from '../delivery/intent.ts'
import type { DeliveryQueue } from '../delivery/queue.ts'
import type { Worker } from '../delivery/worker.ts'

const batchesAtOnce = 2_000
/** A message older than this was lost, or its worker was, when nothing waits in the queue. A needless copy finds nothing to do. */
const lostAfterSeconds = 15

/**
 * Publishes the batches that are due and were not published, and again those whose message was lost. While the queue takes
 * nothing this worker delivers what it has room for by itself; without NATS everything goes on, only slower.
 */
export async function publishDueBatches(ctx: Ctx, queue: DeliveryQueue, worker: Pick<Worker, 'take'>): Promise<void> {
  const depth = (await queue.depth()) ?? 0
  for (;;) {
    const due = await takeDue(ctx, depth === 0)
    const refused = await queue.publish(due)
    const left = refused.filter((key) => !worker.take(key))
    if (left.length > 0) await giveBack(ctx, left)
    if (due.length < batchesAtOnce || refused.length > 0) return
  }
}

function takeDue(ctx: Ctx, lostToo: boolean): Promise<BatchKey[]> {
  return ctx.tx((em) =>
    rows<BatchKey>(
      em,
      sql`with due as (
            select b.run_id, b.batch from delivery_batches b join campaign_runs r on r.workspace_id = b.workspace_id and r.id = b.run_id
             where b.done_at is null and b.due_at <= now() and r.state = 'sending' and r.held_by is null
               and (b.published_at is null or (${lostToo}::boolean and b.published_at < now() - ${lostAfterSeconds} * interval '1 second'))
             order by b.run_id, b.batch limit ${batchesAtOnce} for update of b skip locked)
          update delivery_batches b set published_at = now() from due where b.run_id = due.run_id and b.batch = due.batch
          returning b.workspace_id as "workspaceId", b.run_id as "runId", b.batch`,
    ),
  )
}

async function giveBack(ctx: Ctx, keys: BatchKey[]): Promise<void> {
  await ctx.tx((em) =>
    execute(
      em,
      sql`update delivery_batches b set published_at = null from unnest(${keys.map(({ runId }) => runId)}::uuid[], ${keys.map(({ batch }) => batch)}::integer[]) as t (run_id, batch)
           where b.run_id = t.run_id and b.batch = t.batch`,
    ),
  )
}
