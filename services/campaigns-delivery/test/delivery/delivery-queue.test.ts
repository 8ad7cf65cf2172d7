import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openBus, type Bus } from '@lettergate/events'
import { createService } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { deliveryQueue } from '../../src/delivery/queue.ts'

// A user without the permission to publish batches.
const service = createService('imports', { logLevel: 'silent' })
let stage: Stage
let bus: Bus

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  bus = await service.use(openBus(service, stage.bus('imports')))
}, 60_000)
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
