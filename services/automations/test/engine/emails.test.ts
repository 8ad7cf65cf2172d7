import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openAutomationEmails, type AutomationStage } from '@lettergate/campaigns-delivery/test/automation-stage'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { schema } from '../../src/db/migrations.ts'
import { start } from '../../src/service.ts'
import { adjustScore, onSubscription, sequence } from './definitions.ts'
import { heldCommits } from './held-commits.ts'
import { startWorkerProcess } from './worker-process.ts'

let rig: AutomationStage
let env: Record<string, string>
let commits: Awaited<ReturnType<typeof heldCommits>>
let counter = 0
const workers: { killed(): Promise<void> }[] = []
beforeAll(async () => {
  rig = await openAutomationEmails({ schemas: [schema] })
  commits = await heldCommits(rig.stage.adminUrl, [
    'automations.enrollments',
    'automations.enrollment_claims',
    'contacts.automation_step_receipts',
    'campaigns.hand_offs',
    'automations.enrollment_steps',
  ])
  env = rig.stage.environment('automations', {
    CONTACTS_CONSENT_TARGET: rig.env.CONTACTS_CONSENT_TARGET,
    CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rig.workerApp.rpcPort}`,
    CAMPAIGNS_WORKER_TARGET: `127.0.0.1:${rig.workerApp.rpcPort}`,
    IDENTITY_TARGET: rig.env.IDENTITY_TARGET,
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
const email = (more: object = {}) => ({
  type: 'send_email',
  config: { content_version_id: rig.contentVersionId, sender_identity_id: rig.senderId, ...more },
})

/** Stores a published automation. Its content and sender are known to exist, so no other service is asked. */
async function published(definition: ReturnType<typeof sequence>, subjectId: string) {
  counter += 1
  const [{ id }] = (await rig.stage.query<{ id: string }>(
    `with made as (
       insert into automations.automations (workspace_id, id, name, slug, status, current_version, published_version_id, published_by_wallet_id,
                                            published_at, trigger_type, trigger_subject_id)
       select $1, gen_random_uuid(), 'A', 'e-' || $2::int, 'published', 1, gen_random_uuid(), 'u', now(), 'audience_subscribed', $3 returning *)
     insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     select workspace_id, published_version_id, id, 1, 'audience_subscribed', $4, repeat('0', 64), '{}', '{}', 'u' from made
     returning automation_id as id`,
    [rig.workspaceId, counter, subjectId, JSON.stringify(definition)],
  )) as [{ id: string }]
  return id
}
const ended = (automationId: string, count: number) =>
  until(
    async () => {
      const rows = await rig.stage.query<{ end_state: string }>(
        'select end_state from automations.enrollments where automation_id = $1 and end_state is not null',
        [automationId],
      )
      return rows.length >= count && rows.map((row) => row.end_state)
    },
    { what: `${count} ended enrollments` },
  )
const stepsOf = (automationId: string) =>
  rig.stage.query<{ node_key: string; outcome: string; reasons: string[]; message_id: string | null }>(
    `select s.node_key, s.outcome, s.reasons, s.message_id from automations.enrollment_steps s
       join automations.enrollments e on e.id = s.enrollment_id where e.automation_id = $1 order by s.enrollment_id, s.number`,
    [automationId],
  )

test('an email is sent under the audience of the trigger, and who is not eligible is skipped and moves on', async () => {
  const worker = await startWorker()
  const audienceId = await rig.audience()
  const automationId = await published(sequence(onSubscription(audienceId), [email(), adjustScore(1)]), audienceId)
  const contactId = await rig.subscriber(audienceId, 'ada@example.org', 'Ada')
  expect(await ended(automationId, 1)).toEqual(['completed'])
  const [sent] = await stepsOf(automationId)
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
  expect(await ended(automationId, 2)).toEqual(['completed', 'completed'])
  expect((await stepsOf(automationId)).map(({ outcome }) => outcome).toSorted()).toEqual(
    ['accepted', 'applied', 'completed', 'skipped', 'applied', 'completed'].toSorted(),
  )
  expect((await rig.messagesTo('ada@example.org')).length).toBe(1)
  await worker.killed()
})

test('an email that a closed gate holds goes on when the gate opens', async () => {
  const worker = await startWorker()
  await rig.setGate(false)
  const audienceId = await rig.audience()
  const automationId = await published(sequence(onSubscription(audienceId), [email()]), audienceId)
  await rig.subscriber(audienceId, 'held@example.org')
  await until(
    async () =>
      (
        await rig.stage.query(
          `select from automations.due_enrollments d join automations.enrollment_positions p using (workspace_id, enrollment_id)
            where p.automation_id = $1 and d.due_at > p.arrived_at`,
          [automationId],
        )
      ).length === 1,
    { what: 'an email that waits' },
  )
  expect(await stepsOf(automationId)).toEqual([])
  await rig.setGate(true)
  await ended(automationId, 1)
  expect((await rig.messagesTo('held@example.org')).length).toBe(1)
  await worker.killed()
})

test('however often workers are killed, each step has its effect once and each contact gets one email', async () => {
  const people = 60
  const audienceId = await rig.audience()
  const automationId = await published(
    sequence(onSubscription(audienceId), [adjustScore(1), adjustScore(10), email(), adjustScore(100)]),
    audienceId,
  )
  const addresses = Array.from({ length: people }, (_, n) => `killed${n}@example.org`)
  let worker = await startWorker()
  for (const address of addresses) await rig.subscriber(audienceId, address)
  const finished = async () => (await stepsOf(automationId)).length
  // Each worker is killed as soon as it has finished some steps, in the middle of others.
  for (const share of [0.1, 0.35, 0.6, 0.8]) {
    await until(async () => (await finished()) >= people * 5 * share, { everyMs: 2, what: 'some steps' })
    await worker.killed()
    worker = await startWorker()
  }
  expect(await ended(automationId, people)).toEqual(Array.from({ length: people }, () => 'completed'))
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
  const nodes = [adjustScore(1), email(), adjustScore(10)]
  const automationId = await published(sequence(onSubscription(audienceId), nodes), audienceId)
  const address = `killed.${table}@example.org`
  await commits.hold(table)
  const contactId = await rig.subscriber(audienceId, address)
  await commits.reached()
  await worker.killed()
  await commits.release(table)
  const next = await startWorker()
  expect(await ended(automationId, 1)).toEqual(['completed'])
  const done = (await stepsOf(automationId)).map((step) => `${step.node_key} ${step.outcome}`)
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
    email(),
  ]
  const automationId = await published(sequence(onSubscription(left), steps), left)
  await rig.subscriber(left, 'joined@example.org', 'Joan')
  expect(await ended(automationId, 1)).toEqual(['completed'])
  expect((await stepsOf(automationId)).map(({ outcome }) => outcome)).toEqual([
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
