import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openBus, type Bus } from '@lettergate/events'
import { createService } from '@lettergate/service'
import { openStage, until, type Stage } from '@lettergate/stage'
import type { Ctx } from '../../src/ctx.ts'
import { schema } from '../../src/db/migrations.ts'
import type { DeliveryDeps } from '../../src/delivery/deliver-batches.ts'
import { deliveryDurable, deliveryQueue } from '../../src/delivery/queue.ts'
import { startWorker } from '../../src/delivery/worker.ts'

// A user without the permission to publish batches.
const service = createService('imports', { logLevel: 'silent' })
let stage: Stage
let bus: Bus

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  bus = await service.use(openBus(service, stage.bus('imports')))
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

test('each batch that the queue does not accept is logged with its run, number and error', async () => {
  const logged: unknown[] = []
  const queue = deliveryQueue(bus, { warn: (fields: unknown) => void logged.push(fields) })
  const [workspaceId, runId] = [newId(), newId()]
  const keys = [0, 1, 2].map((batch) => ({ workspaceId, runId, batch }))
  expect(await queue.publish(keys)).toEqual(keys)
  expect(logged).toHaveLength(3)
  for (const { batch } of keys)
    expect(logged).toContainEqual({ err: expect.any(Error), workspace_id: workspaceId, run_id: runId, batch })
})

test('a message that names no batch is removed from the queue', async () => {
  const worker = createService('campaigns-delivery', { logLevel: 'silent' })
  const own = await worker.use(openBus(worker, stage.bus('campaigns-delivery')))
  await own.js.publish(own.subject(deliveryDurable.filter), Buffer.from('no batch'))
  await worker.use(
    startWorker(worker, {
      queue: deliveryQueue(own, worker.log),
      system: {} as Ctx,
      delivery: {} as DeliveryDeps,
      concurrency: 1,
      onNeed: () => undefined,
    }),
  )
  await until(async () => {
    const { num_pending, num_ack_pending } = await own.jsm.consumers.info(
      own.stream(deliveryDurable.stream),
      deliveryDurable.name,
    )
    return num_pending === 0 && num_ack_pending === 0
  })
  await worker.stop()
})
