import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { start } from '../../src/service.ts'
import { adjustScore, onSubscription, sequence } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'
import { heldCommits } from './held-commits.ts'
import { startWorkerProcess } from './worker-process.ts'

let rig: EmailRuntime
let env: Record<string, string>
let commits: Awaited<ReturnType<typeof heldCommits>>
const workers: { killed(): Promise<void> }[] = []
beforeAll(async () => {
  rig = await openEmailRuntime()
  commits = await heldCommits(rig.stage.adminUrl, [
    'automations.enrollments',
    'automations.enrollment_claims',
    'contacts.automation_step_receipts',
    'campaigns.hand_offs',
    'automations.enrollment_steps',
  ])
  env = rig.stage.environment('automations', {
    ...rig.targets,
    AUTOMATION_LEASE_SECONDS: '2',
  })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.killed()))
  await commits.close()
  await rig.close()
})

const startWorker = async () => {
  const worker = await startWorkerProcess(env)
  workers.push(worker)
  return worker
}

test('an email is sent under the audience of the trigger, and who is not eligible is skipped and moves on', async () => {
  const worker = await startWorker()
  const audienceId = await rig.audience()
  const automationId = await rig.published(
    sequence(onSubscription(audienceId), [rig.emailNode(), adjustScore(1)]),
    audienceId,
  )
  const contactId = await rig.subscriber(audienceId, 'ada@example.org', 'Ada')
  expect(await rig.ended(automationId, 1)).toEqual(['completed'])
  const [sent] = await rig.stepsOf(automationId)
  expect(sent).toMatchObject({ outcome: 'accepted', reasons: [], message_id: expect.any(String) })
  expect((await rig.messagesTo('ada@example.org')).length).toBe(1)

  await rig.contacts.suppressContact(rig.us, { contactId, scope: 'workspace', reason: 'manual' })
  await rig.stage.query(
    `with again as (
       insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, audience_id, correlation_id, trace, enrolled_at)
       select workspace_id, gen_random_uuid(), automation_id, version_id, contact_id, trigger_type, audience_id, 'c', '{}', now()
         from automations.enrollments where automation_id = $1 returning *),
     entered as (
       insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id, step_number, due_at, arrived_at)
       select workspace_id, id, automation_id, contact_id, 'active', '1-send_email', gen_random_uuid(), 1, now(), now() from again returning *)
     insert into automations.due_enrollments select workspace_id, due_at, enrollment_id from entered`,
    [automationId],
  )
  expect(await rig.ended(automationId, 2)).toEqual(['completed', 'completed'])
  expect((await rig.stepsOf(automationId)).map(({ outcome }) => outcome).toSorted()).toEqual(
    ['accepted', 'applied', 'completed', 'skipped', 'applied', 'completed'].toSorted(),
  )
  expect((await rig.messagesTo('ada@example.org')).length).toBe(1)
  await worker.killed()
})

test('an email that a closed gate holds goes on when the gate opens', async () => {
  const worker = await startWorker()
  await rig.setGate(false)
  const audienceId = await rig.audience()
  const automationId = await rig.published(sequence(onSubscription(audienceId), [rig.emailNode()]), audienceId)
  await rig.subscriber(audienceId, 'held@example.org')
  await rig.postponed(automationId)
  expect(await rig.stepsOf(automationId)).toEqual([])
  await rig.setGate(true)
  await rig.ended(automationId, 1)
  expect((await rig.messagesTo('held@example.org')).length).toBe(1)
  await worker.killed()
})

test('however often workers are killed, each step has its effect once and each contact gets one email', async () => {
  const people = 60
  const audienceId = await rig.audience()
  const automationId = await rig.published(
    sequence(onSubscription(audienceId), [adjustScore(1), adjustScore(10), rig.emailNode(), adjustScore(100)]),
    audienceId,
  )
  const addresses = Array.from({ length: people }, (_, n) => `killed${n}@example.org`)
  let worker = await startWorker()
  for (const address of addresses) await rig.subscriber(audienceId, address)
  const finished = async () => (await rig.stepsOf(automationId)).length
  // Each worker is killed as soon as it has finished some steps, in the middle of others.
  for (const share of [0.1, 0.35, 0.6, 0.8]) {
    await until(async () => (await finished()) >= people * 5 * share, { everyMs: 2, what: 'some steps' })
    await worker.killed()
    worker = await startWorker()
  }
  expect(await rig.ended(automationId, people)).toEqual(Array.from({ length: people }, () => 'completed'))
  const scores = await rig.stage.query<{ score: number; count: number }>(
    `select c.score, count(*)::int as count from contacts.contacts c join automations.enrollments e on e.contact_id = c.id
      where e.automation_id = $1 group by 1`,
    [automationId],
  )
  expect(scores).toEqual([{ score: 111, count: people }])
  expect(await finished()).toBe(people * 5)
  const received = new Map<string, number>()
  for (const { to } of await rig.messages()) received.set(to, (received.get(to) ?? 0) + 1)
  expect(addresses.map((address) => received.get(address))).toEqual(addresses.map(() => 1))
  await worker.killed()
}, 600_000)

test.each([
  ['stored an enrollment', 'automations.enrollments'],
  ['taken a set', 'automations.enrollment_claims'],
  ['asked for an effect', 'contacts.automation_step_receipts'],
  ['asked for an email', 'campaigns.hand_offs'],
  ['settled steps', 'automations.enrollment_steps'],
])('a worker that is killed when it has %s: each step is done once, with one effect', async (_, table) => {
  const worker = await startWorker()
  const audienceId = await rig.audience()
  const nodes = [adjustScore(1), rig.emailNode(), adjustScore(10)]
  const automationId = await rig.published(sequence(onSubscription(audienceId), nodes), audienceId)
  const address = `killed.${table}@example.org`
  await commits.hold(table)
  const contactId = await rig.subscriber(audienceId, address)
  await commits.reached()
  await worker.killed()
  await commits.release(table)
  const next = await startWorker()
  expect(await rig.ended(automationId, 1)).toEqual(['completed'])
  const done = (await rig.stepsOf(automationId)).map((step) => `${step.node_key} ${step.outcome}`)
  expect(done).toEqual(['1-adjust_score applied', '2-send_email accepted', '3-adjust_score applied', '4-end completed'])
  const [contact] = await rig.stage.query('select score from contacts.contacts where id = $1', [contactId])
  expect(contact).toEqual({ score: 11 })
  expect(await rig.messagesTo(address)).toHaveLength(1)
  await next.killed()
})

test('an email after add_audience is sent under the audience that the contact joined, if not under that of the trigger', async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.killed()))
  await rig.stage.boot('automations', start, loadConfig, { ...env, ROLE: 'worker' })
  const [left, joined] = [await rig.audience(), await rig.audience()]
  const steps = [
    { type: 'remove_audience', config: { audience_id: left } },
    { type: 'add_audience', config: { audience_id: joined, wording_version: '1', source: 'a' } },
    rig.emailNode(),
  ]
  const automationId = await rig.published(sequence(onSubscription(left), steps), left)
  await rig.subscriber(left, 'joined@example.org', 'Joan')
  expect(await rig.ended(automationId, 1)).toEqual(['completed'])
  expect((await rig.stepsOf(automationId)).map(({ outcome }) => outcome)).toEqual([
    'applied',
    'applied',
    'accepted',
    'completed',
  ])
  expect(await rig.messagesTo('joined@example.org')).toHaveLength(1)
  const sent = await rig.stage.query<{ audience_id: string }>(
    'select audience_id from campaigns.automation_emails where automation_id = $1',
    [automationId],
  )
  expect(sent).toEqual([{ audience_id: joined }])
})
