import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId, type Em } from '@lettergate/database'
import { createService } from '@lettergate/service'
import type { Ctx } from '../../src/ctx.ts'
import type { DeliveryDeps } from '../../src/delivery/deliver-batches.ts'
import { startWorker } from '../../src/delivery/worker.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

/** A worker without a queue, whose batches get this context. */
const workerWith = (concurrency: number, ctx: { tx: (work: (em: Em) => Promise<unknown>) => Promise<unknown> }) =>
  startWorker(createService('campaigns-delivery', { logLevel: 'silent' }), {
    queue: {
      publish: () => Promise.resolve([]),
      depth: () => Promise.resolve(undefined),
      open: () => Promise.reject(new Error('there is no queue')),
    },
    system: rig.system as unknown as Ctx,
    delivery: { ctxOf: () => ctx } as unknown as DeliveryDeps,
    concurrency,
    onNeed: () => undefined,
  })

test('a worker that stops releases the batches that it took and has not begun', async () => {
  const workspaceId = newId()
  const { runId } = await rig.run(workspaceId, 5)
  await rig.stage.query('update campaigns.delivery_batches set published_at = now() where run_id = $1', [runId])
  const reading = Promise.withResolvers<undefined>()
  const begun = Promise.withResolvers<void>()
  const worker = workerWith(1, {
    tx() {
      begun.resolve()
      return reading.promise
    },
  })
  expect([1, 2, 3].map((batch) => worker.take({ workspaceId, runId, batch }))).toEqual([true, true, true])
  await begun.promise
  const stopping = worker.stop()
  reading.resolve(undefined)
  await stopping
  const published = await rig.stage.query<{ batch: number }>(
    'select batch from campaigns.delivery_batches where run_id = $1 and published_at is not null order by batch',
    [runId],
  )
  // Batch 1 was begun; 4 and 5 are with other workers.
  expect(published.map(({ batch }) => batch)).toEqual([1, 4, 5])
})

test('a batch that waits twice is read once', async () => {
  const workspaceId = newId()
  const { runId } = await rig.run(workspaceId, 2)
  const read = Promise.withResolvers<unknown>()
  const worker = workerWith(4, {
    async tx(work) {
      read.resolve(await rig.in(workspaceId).tx(work))
    },
  })
  expect([1, 1].map((batch) => worker.take({ workspaceId, runId, batch }))).toEqual([true, true])
  expect(await read.promise).toMatchObject({ batches: [{ batch: 1 }] })
  await worker.stop()
})
