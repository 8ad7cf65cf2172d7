import { sql, statement } from '@lettergate/database'
import type { Config } from '../config.ts'
import type { Ctx } from '../ctx.ts'
import type { BatchKey } from './hand-off.ts'
import type { DeliveryQueue } from './queue.ts'
import { takeTurns } from './take-turns.ts'
import type { Worker } from './worker.ts'

interface PublishCtx extends Pick<Ctx, 'tx'> {
  config: Pick<Config, 'deliveryConcurrency' | 'deliveryBatchSize' | 'connectionLimits'>
}

/**
 * Chooses the next batches, only as many as keep the queue short, so that new runs do not wait behind old ones. This worker takes
 * as many as it has room for, and the others are published for any worker. Without NATS delivery continues, only slower.
 * Returns the milliseconds that the database took to choose them.
 */
export async function publishDueBatches(
  ctx: PublishCtx,
  queue: Pick<DeliveryQueue, 'depth' | 'publish'>,
  worker: Pick<Worker, 'room' | 'take'>,
): Promise<number> {
  const { config } = ctx
  const window = Math.max(16, config.deliveryConcurrency * 4)
  const depth = await queue.depth()
  const room = depth === undefined ? worker.room() : window - depth
  if (room <= 0) return 0
  const began = performance.now()
  const due = await ctx.tx((em) =>
    takeTurns(em, { room, share: window / 2, limits: config.connectionLimits, batchSize: config.deliveryBatchSize }),
  )
  const tookMs = performance.now() - began
  if (due.length === 0) return tookMs
  const others = due.filter((key) => !worker.take(key))
  const left = depth === undefined ? others : await queue.publish(others)
  if (left.length > 0) await releaseBatches(ctx, left)
  return tookMs
}

const releaseUnpublished = statement('release-unpublished-batches')

async function releaseBatches(ctx: PublishCtx, keys: BatchKey[]): Promise<void> {
  await ctx.tx((em) =>
    releaseUnpublished.execute(
      em,
      sql`update delivery_batches b set published_at = null from unnest(${keys.map(({ runId }) => runId)}::uuid[], ${keys.map(({ batch }) => batch)}::integer[]) as t (run_id, batch)
           where b.run_id = t.run_id and b.batch = t.batch and b.done_at is null`,
    ),
  )
}
