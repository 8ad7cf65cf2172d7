import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contexts, openDatabase } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { releaseHeldEnrollments } from '../../src/engine/claim.ts'
import { entities } from '../../src/entities.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { sequence, wait } from './definitions.ts'

const most = 100

let s: RuntimeStage
let release: () => Promise<number>
let stop: () => Promise<void>
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  const service = createService('looker', { logLevel: 'silent' })
  const url = s.stage.databaseUrl('automations')
  const db = await openDatabase(service, { url, schema: 'automations', entities, poolMax: 1 })
  const system = contexts(db, service, {}).ofSystem('release-held-enrollments')
  release = () => system.tx((em) => releaseHeldEnrollments(em, most))
  stop = () => db.stop()
})
afterAll(async () => {
  await stop()
  await s.close()
})

/** A published automation with this many contacts who were set aside. */
async function held(count: number, caller = s.us) {
  const automationId = await s.published(sequence({ type: 'manual', config: {} }, [wait(60)]), caller)
  await s.stage.query(
    `with made as (
       insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, correlation_id, trace, enrolled_at)
       select a.workspace_id, uuidv7(), a.id, a.published_version_id, uuidv7(), 'manual', 'c', '{}', now()
         from automations.automations a cross join generate_series(1, $2::int) where a.id = $1 returning *),
     placed as (
       insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id,
                                                     step_number, due_at, arrived_at)
       select workspace_id, id, automation_id, contact_id, 'active', '1-wait_duration', uuidv7(), 1, now(), now() from made returning *)
     insert into automations.held_enrollments select workspace_id, automation_id, enrollment_id from placed`,
    [automationId, count],
  )
  return automationId
}
const heldOf = async (automationId: string) =>
  (await s.stage.query('select from automations.held_enrollments where automation_id = $1', [automationId])).length

test('contacts who were set aside are released in equal shares, so that a workspace with many delays no other', async () => {
  const many = await held(10 * most)
  const few = await held(2)
  const paused = await held(1)
  const other = await held(3, s.them)
  await s.automations.pauseAutomation(s.us, { automationId: paused })
  const all = async () => Promise.all([many, few, other, paused].map(heldOf))
  expect(await release()).toBe(25 + 2 + 3)
  expect(await all()).toEqual([975, 0, 0, 1])
  let rest = 975
  for (let times = 0; rest > 0; times += 1) {
    expect(times).toBeLessThan(20)
    rest -= await release()
  }
  expect(await all()).toEqual([0, 0, 0, 1])
  expect(await release()).toBe(0)
  const due = await s.stage.query('select from automations.due_enrollments')
  expect(due).toHaveLength(10 * most + 2 + 3)
})
