import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'

let stage: Stage
const workspaceId = newId()
const automationId = newId()
const versionId = newId()

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  await stage.query(
    `insert into automations.automations (workspace_id, id, name, slug, current_version) values ($1, $2, 'A', 'a', 1)`,
    [workspaceId, automationId],
  )
  await stage.query(
    `insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     values ($1, $2, $3, 1, 'manual', '{}', repeat('0', 64), '{}', '{}', 'u')`,
    [workspaceId, versionId, automationId],
  )
})
afterAll(() => stage.close())

const enrollment = async (values: Record<string, unknown> = {}) => {
  const id = newId()
  const row = {
    workspace_id: workspaceId,
    id,
    automation_id: automationId,
    version_id: versionId,
    contact_id: newId(),
    trigger_type: 'tag_added',
    correlation_id: 'c',
    trace: '{}',
    enrolled_at: new Date(),
    ...values,
  }
  await insert('enrollments', row)
  return id
}
const position = (values: Record<string, unknown> = {}) => ({
  workspace_id: workspaceId,
  enrollment_id: newId(),
  automation_id: automationId,
  contact_id: newId(),
  state: 'active',
  node_key: 'n',
  step_id: newId(),
  step_number: 1,
  due_at: new Date(),
  arrived_at: new Date(),
  ...values,
})
const insert = (table: string, row: Record<string, unknown>) =>
  stage.query(
    `insert into automations.${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
      .map((_, index) => `$${index + 1}`)
      .join(', ')})`,
    Object.values(row),
  )

test('a contact is in an automation once at a time, and may be in several', async () => {
  const first = position()
  await insert('enrollment_positions', first)
  const again = position({ contact_id: first.contact_id })
  await expect(insert('enrollment_positions', again)).rejects.toThrow(/enrollment_positions_once/)
  await insert('enrollment_positions', { ...again, automation_id: newId() })
  await stage.query('delete from automations.enrollment_positions where enrollment_id = $1', [first.enrollment_id])
  await insert('enrollment_positions', { ...again, enrollment_id: newId() })
})

test('moving a contact on writes no index entry', async () => {
  const row = position()
  await insert('enrollment_positions', row)
  const updates = async () => {
    await stage.query('select pg_stat_force_next_flush()')
    const [counts] = await stage.query<{ all: number; hot: number }>(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'enrollment_positions'`,
    )
    return counts!
  }
  const before = await updates()
  await stage.query(
    `update automations.enrollment_positions set state = 'waiting', node_key = 'm', step_id = $2, step_number = 2,
            due_at = now(), wait_until = now(), arrived_at = now() where enrollment_id = $1`,
    [row.enrollment_id, newId()],
  )
  const after = await updates()
  expect([after.all - before.all, after.hot - before.hot]).toEqual([1, 1])
})

test.each<[string, Record<string, unknown>]>([
  ['an end without its time', { end_state: 'completed' }],
  ['a time without an end', { ended_at: new Date() }],
  ['an unknown end', { end_state: 'lost', ended_at: new Date() }],
  ['a rehearsal without an idempotency key', { synthetic_context_id: 'r' }],
  ['a key without a rehearsal', { idempotency_key: 'k' }],
])('an enrollment with %s is refused', async (_, values) => {
  await expect(enrollment(values)).rejects.toThrow(/check constraint/)
})

test('an enrollment names a version that exists', async () => {
  await enrollment()
  await expect(enrollment({ version_id: newId() })).rejects.toThrow(/refers to no row of automation_versions/)
})

test('a key of a synthetic enrollment is used once in a workspace', async () => {
  const synthetic = { synthetic_context_id: 'r', idempotency_key: 'once' }
  await enrollment(synthetic)
  await expect(enrollment(synthetic)).rejects.toThrow(/enrollments_by_key/)
})

test('a position that waits knows until when', async () => {
  await expect(insert('enrollment_positions', position({ state: 'waiting' }))).rejects.toThrow(/check constraint/)
})

test('finished steps and events are never changed or removed', async () => {
  const enrollmentId = await enrollment()
  const own = { workspace_id: workspaceId, enrollment_id: enrollmentId }
  await insert('enrollment_steps', {
    ...own,
    number: 1,
    step_id: newId(),
    node_key: 'n',
    node_type: 'end',
    outcome: 'completed',
    started_at: new Date(),
    finished_at: new Date(),
  })
  await insert('enrollment_events', { ...own, id: newId(), event: 'paused', actor: 'u', at: new Date() })
  for (const table of ['enrollment_steps', 'enrollment_events']) {
    await expect(stage.query(`update automations.${table} set step_id = null`)).rejects.toThrow(/never changed/)
    await expect(stage.query(`delete from automations.${table}`)).rejects.toThrow(/never changed/)
  }
})

test('versions of automations are never changed or removed', async () => {
  for (const change of [
    `update automations.automation_versions set definition = '{"nodes":[]}'`,
    `update automations.automation_versions set definition_checksum = repeat('1', 64)`,
    'update automations.automation_versions set version = version',
    'delete from automations.automation_versions',
  ])
    await expect(stage.query(change)).rejects.toThrow(/never changed/)
  const stored = await stage.query('select id, definition from automations.automation_versions')
  expect(stored).toEqual([{ id: versionId, definition: {} }])
})

test('the reason of an event is removed, and never replaced', async () => {
  const own = { workspace_id: workspaceId, enrollment_id: await enrollment() }
  await insert('enrollment_events', { ...own, id: newId(), event: 'paused', actor: 'u', reason: 'r', at: new Date() })
  await expect(stage.query(`update automations.enrollment_events set reason = 'other'`)).rejects.toThrow(
    /never changed/,
  )
  await stage.query('update automations.enrollment_events set reason = null')
  await expect(stage.query(`update automations.enrollment_events set reason = 'r'`)).rejects.toThrow(/never changed/)
})

test('a published automation has the version that was published', async () => {
  await expect(stage.query(`update automations.automations set status = 'published'`)).rejects.toThrow(
    /check constraint/,
  )
})
