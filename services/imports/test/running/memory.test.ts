import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { peopleFile } from './files.ts'
import { openRunning, type RunningStage } from './running-stage.ts'
import { workerProcesses } from './worker-process.ts'

let s: RunningStage
const { start: worker, killAll } = workerProcesses(() => s)
beforeAll(async () => {
  s = await openRunning()
})
afterAll(async () => {
  await killAll()
  await s.close()
})

const growthMaxMb = 150

test('a worker needs little memory for a large file, in the dry run and in the apply', async () => {
  const { memoryMb } = await worker()
  const warm = await s.mapped(peopleFile(100, 'warm'))
  await s.reached(warm, 'ready_for_review')
  const before = memoryMb() ?? 0
  let peak = before
  const watching = setInterval(() => (peak = Math.max(peak, memoryMb() ?? 0)), 20)
  const id = await s.mapped(peopleFile(25_000))
  await s.reached(id, 'ready_for_review')
  await s.approve(id)
  const done = await s.reached(id, 'completed')
  clearInterval(watching)
  expect(done.report).toMatchObject({ rows_total: 25_000, reconciliation: { matches: true } })
  expect(peak - before).toBeLessThan(growthMaxMb)
})
