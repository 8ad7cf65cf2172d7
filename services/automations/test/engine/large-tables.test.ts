import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { onSubscription, sequence, wait } from './definitions.ts'

/** Contacts who are due together, and those who wait longer, in the only workspace. */
const due = 200
const waiting = 30_000

let s: RuntimeStage
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
})
afterAll(() => s.close())

/** Enrollments of unknown contacts who wait at the start node, the newest statistics included. */
async function insertWaiting(automationId: string, count: number, dueIn: string) {
  await s.stage.query(
    `with given as (
       select a.workspace_id, v.id as version_id, uuidv7() as id, uuidv7() as contact_id, now() + $3::interval as due_at, n
         from automations.automations a join automations.automation_versions v on v.workspace_id = a.workspace_id and v.automation_id = a.id,
              generate_series(1, $2::int) n
        where a.id = $1),
     begun as (
       insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, correlation_id, trace, enrolled_at)
       select workspace_id, id, $1, version_id, contact_id, 'audience_subscribed', 'test', '{}', now() from given),
     positions as (
       insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id, step_number,
                                                     due_at, wait_until, arrived_at)
       select workspace_id, id, $1, contact_id, 'waiting', '1-wait_duration', uuidv7(), 1, due_at, due_at, now() from given)
     insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select workspace_id, due_at, id from given`,
    [automationId, count, dueIn],
  )
}

/** Rows of positions that ended sessions have read. */
async function rowsRead() {
  const sessions = () =>
    s.stage.query(`select from pg_stat_activity where datname = current_database() and usename = 'automations'`)
  await until(async () => (await sessions()).length === 0, { what: 'the end of the sessions' })
  const [{ read }] = (await s.stage.query<{ read: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
      where schemaname = 'automations' and relname = 'enrollment_positions'`,
  )) as [{ read: number }]
  return read
}

test('a set of steps reads its own contacts, and not all who wait in the workspace', async () => {
  const automationId = await s.published(sequence(onSubscription(await s.audience()), [wait(3600), wait(1)]))
  // Deleted rows make the index larger, as in a table that was in use.
  for (let time = 0; time < 4; time += 1) {
    await s.stage.query('delete from automations.enrollment_positions')
    await insertWaiting(automationId, waiting, '1 day')
  }
  await insertWaiting(automationId, due, '0 seconds')
  await s.stage.query('analyze automations.enrollments, automations.enrollment_positions, automations.due_enrollments')
  await s.app.stop()
  const before = await rowsRead()

  const worker = await s.worker()
  // of a table that is not counted
  const steps = () => s.stage.query(`select from automations.enrollment_steps where outcome = 'completed'`)
  await until(async () => (await steps()).length === due, { what: 'the last steps' })
  await worker.stop()
  // One statement of the first set reads the table, while its index looks small. Each of the others must not.
  expect((await rowsRead()) - before).toBeLessThan(2 * waiting)
})
