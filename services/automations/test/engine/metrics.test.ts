import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { adjustScore, onSubscription, sequence, wait } from './definitions.ts'

const hour = 3_600_000

let s: RuntimeStage
let worker: Awaited<ReturnType<RuntimeStage['worker']>>
let holder: pg.Client
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  worker = await s.worker()
  holder = new pg.Client({ connectionString: s.stage.adminUrl, application_name: 'stage' })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await s.close()
})

/** The value of a metric of the worker. Undefined for a counter that was never increased. */
async function metric(name: string, ...labels: string[]): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${worker.healthPort}/metrics`)).text()
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`lettergate_${name}{`) && labels.every((label) => one.includes(label)))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
const becomes = (name: string, value: number) =>
  until(async () => (await metric(name)) === value, { what: `${name} to be ${value}` })
const finished = (nodeType: string, outcome: string) =>
  metric('enrollment_steps_total', `node_type="${nodeType}"`, `outcome="${outcome}"`)

test('the metrics of due, held and claimed contacts and of finished steps follow what happens', async () => {
  for (const name of ['enrollments_due', 'enrollments_held', 'enrollments_claimed', 'enrollment_oldest_due_seconds'])
    expect([name, await metric(name)]).toEqual([name, 0])
  expect(await finished('adjust_score', 'applied')).toBeUndefined()

  // The engine has the clock of the test, and the gauges have that of the database: in two hours for the one, an hour ago for the other.
  s.stage.clock.advance(-2 * hour)
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), [wait(3_600), adjustScore(1)]))
  for (let n = 0; n < 2; n += 1) await s.subscribe(await s.contact(), audienceId)
  await becomes('enrollments_due', 2)
  const oldest = (await metric('enrollment_oldest_due_seconds'))!
  expect(oldest).toBeGreaterThanOrEqual(3_600)
  expect(await metric('enrollment_oldest_due_seconds')).toBeGreaterThan(oldest)

  await s.automations.pauseAutomation(s.us, { automationId })
  s.stage.clock.release()
  await becomes('enrollments_held', 2)
  expect([await metric('enrollments_due'), await metric('enrollment_oldest_due_seconds')]).toEqual([0, 0])
  expect(await finished('wait_duration', 'waited')).toBeUndefined()

  await holder.query('begin')
  await holder.query('lock table contacts.automation_step_receipts in access exclusive mode')
  await s.automations.publishAutomation(s.us, { automationId })
  await becomes('enrollments_claimed', 2)
  expect(await metric('enrollments_held')).toBe(0)
  await holder.query('rollback')
  await s.completed(automationId, 2)
  await becomes('enrollments_claimed', 0)
  for (const name of ['enrollments_due', 'enrollments_held', 'enrollment_oldest_due_seconds'])
    expect([name, await metric(name)]).toEqual([name, 0])
  for (const [nodeType, outcome] of [
    ['wait_duration', 'waited'],
    ['adjust_score', 'applied'],
    ['end', 'completed'],
  ] as const)
    expect([nodeType, await finished(nodeType, outcome)]).toEqual([nodeType, 2])
})
