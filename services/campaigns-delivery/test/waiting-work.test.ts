import { expect, test } from '@jest/globals'
import { createService } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { watchForWork } from '../src/waiting-work.ts'

/** A watch whose query returns the test's answer for the first job, and counts the queries. */
function rig() {
  const state = { isWaiting: false, looks: 0 }
  const answer = async () => {
    state.looks += 1
    return state.isWaiting ? [0] : []
  }
  const service = createService('test', { logLevel: 'silent' })
  return { service, state, work: watchForWork(service, answer) }
}

test('a job runs repeatedly while it has work, and stops when it has none', async () => {
  const { service, state, work } = rig()
  let runs = 0
  const job = work.job('job', { everyMs: 5, waiting: 'select', run: async () => void (runs += 1) })
  await until(() => runs === 1)
  state.isWaiting = true
  work.look()
  await until(() => runs > 5)
  state.isWaiting = false
  const { looks } = state
  work.look()
  await until(() => state.looks > looks)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const runsBefore = runs
  work.look()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(runs).toBe(runsBefore)
  await job.stop()
  await work.stop()
  await service.stop()
})

test('a job that is woken runs without found work', async () => {
  const { service, work } = rig()
  let runs = 0
  const job = work.job('job', { everyMs: 5, waiting: 'select', run: async () => void (runs += 1) })
  await until(() => runs === 1)
  job.wake()
  await until(() => runs === 2)
  await job.stop()
  await work.stop()
  await service.stop()
})

test('a failing job runs again while it has work', async () => {
  const { service, state, work } = rig()
  let runs = 0
  state.isWaiting = true
  const job = work.job('job', {
    everyMs: 5,
    waiting: 'select',
    run: async () => {
      runs += 1
      throw new Error('this time')
    },
  })
  await until(() => runs > 3)
  await job.stop()
  await work.stop()
  await service.stop()
})
