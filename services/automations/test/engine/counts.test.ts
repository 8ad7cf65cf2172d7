import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { countDifferences } from './count-differences.ts'
import { addTag, onSubscription, sequence, wait } from './definitions.ts'

let s: RuntimeStage
let worker: Awaited<ReturnType<RuntimeStage['worker']>>
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  worker = await s.worker()
  await s.contacts.registerTag(s.us, { name: 'welcomed' })
})
afterAll(() => s.close())

test('the counts of a version tell who is at each node and how its steps ended', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), [wait(60), addTag('welcomed')]))
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'waiting')
  const versionId = (await s.enrollments(automationId))[0]!.version_id
  const counts = async () => (await s.automations.getAutomationVersionCounts(s.us, { automationId, versionId })).counts!
  const none = { active: 0, waiting: 0, paused: 0, passed: 0, skipped: 0, failed: 0, unknown: 0 }
  const [first, ...others] = (await counts()).nodes
  expect(first).toMatchObject({ ...none, nodeKey: '1-wait_duration', nodeType: 'wait_duration', waiting: 1 })
  expect(others).toEqual(['2-add_tag', '3-end'].map((nodeKey) => expect.objectContaining({ ...none, nodeKey })))
  await s.automations.controlEnrollment(s.us, {
    enrollmentId: (await s.enrollments(automationId))[0]!.id,
    action: 'pause',
  })
  expect(await counts()).toMatchObject({ waiting: 0, paused: 1 })
  await s.subscribe(await s.contact(), audienceId)
  await until(async () => (await counts()).waiting === 1)
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  await until(async () => (await counts()).completed === 1)
  const { nodes, ...all } = await counts()
  expect(all).toMatchObject({ active: 0, waiting: 0, paused: 1, completed: 1, cancelled: 0, failed: 0 })
  expect(nodes.map(({ paused, passed }) => [paused, passed])).toEqual([
    [1, 1],
    [0, 1],
    [0, 1],
  ])
  const other = { automationId: newId(), versionId }
  await expect(s.automations.getAutomationVersionCounts(s.us, other)).rejects.toMatchObject({ code: 'not_found' })
  s.stage.clock.release()
})

test('the counts of a version tell how many contacts are in the other versions', async () => {
  const audienceId = await s.audience()
  const definition = sequence(onSubscription(audienceId), [wait(86_400)])
  const automationId = await s.published(definition)
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'waiting')
  const first = (await s.enrollments(automationId))[0]!.version_id
  const { automation } = await s.automations.createAutomationVersion(s.us, {
    automationId,
    definition: definition as never,
  })
  const inOthers = async (versionId: string) =>
    (await s.automations.getAutomationVersionCounts(s.us, { automationId, versionId })).counts!.inOtherVersions
  expect(await inOthers(automation!.selectedVersion!.id)).toBe(1)
  expect(await inOthers(first)).toBe(0)
})

test('the counts of all versions are those of their rows, and the gauge shows the enrollments by state', async () => {
  expect(await countDifferences(s.stage)).toEqual([])
  const text = await (await fetch(`http://127.0.0.1:${worker.healthPort}/metrics`)).text()
  const [{ count }] = (await s.stage.query<{ count: number }>(
    `select count(*)::int as count from automations.enrollments where end_state = 'completed'`,
  )) as [{ count: number }]
  expect(text).toMatch(new RegExp(`^lettergate_enrollments\\{state="completed",[^}]*\\} ${count}$`, 'm'))
})

test('steps that are late while the gate is open raise an alert', async () => {
  await worker.stop()
  const { workspaceId } = s.us.caller as { workspaceId: string }
  const holder = new pg.Client({ connectionString: s.stage.adminUrl, options: '-c app.system=test' })
  await holder.connect()
  try {
    await holder.query(
      `insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) values ($1, now() - interval '10 minutes', $2)`,
      [workspaceId, newId()],
    )
    await holder.query('begin')
    await holder.query('select from automations.due_enrollments where due_at < now() for update')
    worker = await s.worker()
    const [alert] = await until(async () => {
      const found = await s.stage.query<{ detail: { oldest_due_seconds: number; due: number }; severity: string }>(
        `select detail, severity from identity.alerts where code = 'automation_steps_late'`,
      )
      return found.length > 0 && found
    })
    expect(alert).toMatchObject({ severity: 'warning', detail: { due: 1 } })
    expect(alert!.detail.oldest_due_seconds).toBeGreaterThanOrEqual(600)
  } finally {
    await holder.query('rollback')
    await holder.end()
  }
})

test('a step that was attempted in vain three times raises an alert, which names the one that was attempted most often', async () => {
  await worker.stop()
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), [wait(86_400)]))
  worker = await s.worker()
  for (let n = 0; n < 3; n += 1) await s.subscribe(await s.contact(), audienceId)
  const waiting = await until(async () => {
    const found = await s.enrollments(automationId)
    return found.length === 3 && found
  })
  await worker.stop()
  for (const [index, failedAttempts] of [2, 3, 4].entries())
    await s.stage.query('update automations.enrollment_positions set failed_attempts = $2 where enrollment_id = $1', [
      waiting[index]!.id,
      failedAttempts,
    ])
  worker = await s.worker()
  const [alert] = await until(async () => {
    const found = await s.stage.query(
      `select detail, severity from identity.alerts where code = 'automation_step_failing'`,
    )
    return found.length > 0 && found
  })
  expect(alert).toMatchObject({
    severity: 'warning',
    detail: {
      automation_id: automationId,
      enrollment_id: waiting[2]!.id,
      node_key: '1-wait_duration',
      failed_attempts: 4,
      enrollments: 2,
    },
  })
})
