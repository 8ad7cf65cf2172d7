import { execute, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import type { BatchKey } from './hand-off.ts'
import type { DeliveryQueue } from './queue.ts'
import { takeTurns } from './take-turns.ts'
import type { Worker } from './worker.ts'

/**
 * Publishes the batches that are next, no more than keep the queue short: whoever comes later need not wait behind what came
 * before. While the queue takes nothing this worker delivers what it has room for by itself; without NATS everything goes on,
 * only slower.
 */
export async function publishDueBatches(
  ctx: Ctx,
  queue: Pick<DeliveryQueue, 'depth' | 'publish'>,
  worker: Pick<Worker, 'room' | 'take'>,
): Promise<void> {
  const { config } = ctx
  const window = Math.max(16, config.deliveryConcurrency * 8)
  const depth = await queue.depth()
  const room = depth === undefined ? worker.room() : window - depth
  if (room <= 0) return
  const due = await ctx.tx((em) =>
    takeTurns(em, { room, share: window / 2, limits: config.connectionLimits, batchSize: config.deliveryBatchSize }),
  )
  if (due.length === 0) return
  const refused = depth === undefined ? due : await queue.publish(due)
  const left = refused.filter((key) => !worker.take(key))
  if (left.length > 0) await giveBack(ctx, left)
}

async function giveBack(ctx: Ctx, keys: BatchKey[]): Promise<void> {
  await ctx.tx((em) =>
    execute(
      em,
      sql`update delivery_batches b set published_at = null from unnest(${keys.map(({ runId }) => runId)}::uuid[], ${keys.map(({ batch }) => batch)}::integer[]) as t (run_id, batch)
           where b.run_id = t.run_id and b.batch = t.batch and b.done_at is null`,
    ),
  )
}
