import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { BatchKey } from '../../src/delivery/hand-off.ts'
import { publishDueBatches } from '../../src/delivery/publish-due-batches.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
afterAll(() => rig.close())

const config = { deliveryConcurrency: 4, deliveryBatchSize: 100, connectionLimits: { atOnce: 16, perSecond: 0 } }
const fullWorker = { room: () => 0, take: () => false }

/** Publishes what is due to a queue that accepts this many batches. Returns the accepted ones. */
async function publish(accepted: number): Promise<BatchKey[]> {
  const published: BatchKey[] = []
  const queue = {
    depth: () => Promise.resolve(0),
    publish: (keys: readonly BatchKey[]) => {
      published.push(...keys.slice(0, accepted))
      return Promise.resolve(keys.slice(accepted))
    },
  }
  await publishDueBatches({ tx: (work) => rig.system.tx(work), config }, queue, fullWorker)
  return published
}

test('batches that neither the queue nor the worker accepts are published again', async () => {
  const { runId } = await rig.run(newId(), 3)
  const first = await publish(1)
  expect(first).toHaveLength(1)
  const marked = await rig.stage.query(
    'select batch from campaigns.delivery_batches where run_id = $1 and published_at is not null',
    [runId],
  )
  expect(marked).toEqual(first.map(({ batch }) => ({ batch })))
  const second = await publish(3)
  expect(new Set([...first, ...second].map(({ batch }) => batch))).toEqual(new Set([1, 2, 3]))
  expect(second).toHaveLength(2)
})
