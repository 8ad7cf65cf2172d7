import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Automations } from '@lettergate/contracts/automations/v1/automations'
import type { Client } from '@lettergate/rpc'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { start } from '../../src/service.ts'
import { onSubscription, sequence } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'

let s: EmailRuntime
let automations: Client<typeof Automations>
beforeAll(async () => {
  s = await openEmailRuntime()
  // Calls to the provider may take longer here than automations waits for them. Another worker would call them lost.
  await s.workerApp.stop()
  const delivery = await s.patientWorker()
  const targets = { ...s.targets, CAMPAIGNS_WORKER_TARGET: `127.0.0.1:${delivery.rpcPort}` }
  await s.stage.boot('automations', start, loadConfig, { ...targets, ROLE: 'worker' })
  const api = await s.stage.boot('automations', start, loadConfig, targets)
  automations = await s.stage.client(Automations, api.rpcPort!)
})
afterAll(() => s.close())

async function entered(address: string) {
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), [s.emailNode()]), audienceId)
  await s.subscriber(audienceId, address)
  return automationId
}

test('the longer a gate holds an email, the later it is tried again', async () => {
  await s.setGate(false)
  const automationId = await entered('held@example.org')
  await s.postponed(automationId)
  // The step has waited for 50 minutes, and is tried now.
  await s.stage.query(
    `with old as (
       update automations.enrollment_positions set arrived_at = now() - interval '50 minutes', due_at = now()
        where automation_id = $1 returning workspace_id, due_at, enrollment_id)
     insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select * from old`,
    [automationId],
  )
  const secondsLeft = async () => {
    const [row] = await s.stage.query<{ seconds: number }>(
      `select extract(epoch from due_at - arrived_at)::float8 - 3000 as seconds from automations.enrollment_positions where automation_id = $1`,
      [automationId],
    )
    return row!.seconds
  }
  // From the attempt on, a tenth of the time: 300 s.
  await until(async () => (await secondsLeft()) >= 300, { what: 'the next attempt' })
  await s.setGate(true)
})

test('an enrollment shows which gate holds its email', async () => {
  await s.setGate(false)
  const automationId = await entered('shown@example.org')
  await s.postponed(automationId)
  const { enrollments } = await automations.listEnrollments(s.us, { automationId })
  const { enrollment } = await automations.getEnrollment(s.us, { enrollmentId: enrollments[0]!.id })
  expect(enrollment).toMatchObject({ state: 'active', waitingReason: 'production_sending_enabled' })
  expect(enrollment!.dueAt).toBeDefined()
  await s.setGate(true)
})

test('an email under way when its enrollment is cancelled is unknown in the timeline, with its message', async () => {
  await s.fault('none', 30_000)
  const automationId = await entered('cancelled@example.org')
  const [{ id }] = (await until(
    async () => {
      const found = await s.stage.query<{ id: string }>(
        `select e.id from automations.enrollments e join campaigns.automation_emails m on m.enrollment_id = e.id
           join campaigns.hand_offs h on m.id = any(h.message_ids) where e.automation_id = $1`,
        [automationId],
      )
      return found.length > 0 && found
    },
    { what: 'a call to the provider' },
  )) as [{ id: string }]
  const { enrollment } = await automations.controlEnrollment(
    s.us,
    { enrollmentId: id, action: 'cancel' },
    { timeoutMs: 60_000 },
  )
  expect(enrollment).toMatchObject({ state: 'cancelled', providerCalls: 1 })
  expect(enrollment!.waitingReason).toBeUndefined()
  expect(await s.stepsOf(automationId)).toMatchObject([
    { outcome: 'unknown', reasons: ['under_way'], message_id: expect.any(String) },
  ])
  await s.fault('none')
})
