import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { openRelay } from '../relay.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { adjustScore, onSubscription, sequence, wait } from './definitions.ts'

const setMax = 200

let s: RuntimeStage
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
})
afterEach(() => s.stage.clock.release())
afterAll(() => s.close())

const workspaceOf = (caller = s.us) => caller.caller.workspaceId!
const stepCount = async (automationId: string) => (await s.steps(automationId)).length

/** Enrollments that wait at the first node since an hour ago; without due work unless it is asked for. */
async function insertWaiting(automationId: string, count: number, { isDue }: { isDue: boolean }) {
  await s.stage.query(
    `with made as (
       insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, correlation_id, trace, enrolled_at)
       select a.workspace_id, uuidv7(), a.id, a.published_version_id, uuidv7(), 'manual', 'c', '{}', now()
         from automations.automations a cross join generate_series(1, $2::int) where a.id = $1 returning *),
     placed as (
       insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id,
                                                     step_number, due_at, wait_until, arrived_at)
       select workspace_id, id, automation_id, contact_id, 'waiting', '1-wait_duration', uuidv7(), 1, now() - interval '1 hour', now() - interval '1 hour',
              now() from made returning *)
     insert into automations.due_enrollments select workspace_id, due_at, enrollment_id from placed where $3`,
    [automationId, count, isDue],
  )
}

test('a workspace with very many due contacts delays the contact of another workspace by two sets at most', async () => {
  const waiting = sequence({ type: 'manual', config: {} }, [wait(60)])
  const [many, one] = [await s.published(waiting), await s.published(waiting, s.them)]
  await insertWaiting(many, 20_000, { isDue: true })
  await insertWaiting(one, 1, { isDue: false })
  const worker = await s.worker({ AUTOMATION_SETS_AT_ONCE: '1' })
  await until(async () => (await stepCount(many)) > 0)
  const [{ xid }] = (await s.stage.query<{ xid: string }>(
    `with due as (insert into automations.due_enrollments
                  select workspace_id, due_at, enrollment_id from automations.enrollment_positions where automation_id = $1)
     select pg_current_xact_id()::text as xid`,
    [one],
  )) as [{ xid: string }]
  await s.completed(one, 1)
  // Transaction ids are the order in which sets were settled.
  const [{ before }] = (await s.stage.query<{ before: number }>(
    `with its as (select min(xmin::text::bigint) as xid from automations.enrollment_steps where workspace_id = $2)
     select count(*) filter (where k.node_key = '1-wait_duration')::int as before from automations.enrollment_steps k, its
      where k.workspace_id = $1 and k.xmin::text::bigint > $3::bigint and k.xmin::text::bigint < its.xid`,
    [workspaceOf(), workspaceOf(s.them), xid],
  )) as [{ before: number }]
  expect(before).toBeLessThanOrEqual(2 * setMax)
  await worker.stop()
  await s.stage.query('delete from automations.due_enrollments where workspace_id = $1', [workspaceOf()])
})

test('slow calls of one workspace leave a place for the contacts of another workspace', async () => {
  const contacts = await openRelay(Number(s.env.CONTACTS_CONSENT_TARGET.split(':').at(-1)))
  const slow = await s.published(sequence({ type: 'manual', config: {} }, [wait(60), adjustScore(1)]))
  const other = await s.published(sequence({ type: 'manual', config: {} }, [wait(60)]), s.them)
  const claimsOf = async (workspaceId: string) =>
    (await s.stage.query('select from automations.enrollment_claims where workspace_id = $1', [workspaceId])).length
  contacts.keep()
  const worker = await s.worker({ AUTOMATION_SETS_AT_ONCE: '2', CONTACTS_CONSENT_TARGET: contacts.target })
  try {
    await insertWaiting(slow, 2 * setMax, { isDue: true })
    await until(async () => (await claimsOf(workspaceOf())) === 1, { what: 'a set that waits for its call' })
    await insertWaiting(other, 1, { isDue: true })
    await s.completed(other, 1)
    expect(await claimsOf(workspaceOf())).toBeLessThanOrEqual(1)
  } finally {
    contacts.restore()
    await worker.stop()
    await contacts.stop()
    await s.stage.query('delete from automations.due_enrollments where workspace_id = $1', [workspaceOf()])
    await s.stage.query('delete from automations.enrollment_claims where workspace_id = $1', [workspaceOf()])
  }
})

test('slow calls of two workspaces leave a place for the contacts of a third one', async () => {
  const contacts = await openRelay(Number(s.env.CONTACTS_CONSENT_TARGET.split(':').at(-1)))
  const slow = sequence({ type: 'manual', config: {} }, [wait(60), adjustScore(1)])
  const slowOnes = [await s.published(slow), await s.published(slow, s.them)]
  const third = s.stage.caller({ workspaceId: newId() })
  const other = await s.published(sequence({ type: 'manual', config: {} }, [wait(60)]), third)
  const claimsOfSlow = async () =>
    (
      await s.stage.query('select from automations.enrollment_claims where workspace_id <> $1', [
        third.caller.workspaceId,
      ])
    ).length
  contacts.keep()
  for (const id of slowOnes) await insertWaiting(id, 3 * setMax, { isDue: true })
  const worker = await s.worker({ AUTOMATION_SETS_AT_ONCE: '4', CONTACTS_CONSENT_TARGET: contacts.target })
  try {
    await until(async () => (await claimsOfSlow()) >= 3, { what: 'three sets that wait for their calls' })
    await insertWaiting(other, 1, { isDue: true })
    let most = 0
    await until(async () => {
      most = Math.max(most, await claimsOfSlow())
      return (await s.enrollments(other))[0]!.state === 'completed'
    })
    expect(most).toBe(3)
  } finally {
    contacts.restore()
    await worker.stop()
    await contacts.stop()
    await s.stage.query('delete from automations.due_enrollments')
    await s.stage.query('delete from automations.enrollment_claims')
  }
})

test('a gate that closes while a worker runs stops every step, and when it opens the enrollments go on', async () => {
  const audienceId = await s.audience()
  const looping = {
    trigger: onSubscription(audienceId),
    start_node: 'wait',
    nodes: [
      { key: 'wait', ...wait(1) },
      { key: 'score', ...adjustScore(1) },
    ],
    edges: [
      { from: 'wait', to: 'score', branch: 'default' },
      { from: 'score', to: 'wait', branch: 'default' },
    ],
  }
  const automationId = await s.published(looping)
  const worker = await s.worker()
  let fired = 0
  const fire = async () => {
    await s.subscribe(await s.contact(), audienceId)
    fired += 1
    await s.handled(worker, 'on-audience-subscribed', fired)
  }
  await fire()
  await until(async () => (await stepCount(automationId)) > 2)
  await s.setGate(false)
  // The worker has seen the gate as soon as a trigger enrols nobody.
  await until(async () => {
    await fire()
    return (await s.enrollments(automationId)).length < fired
  })
  // A set that was being claimed at that time still has its step.
  await until(async () => {
    const before = await stepCount(automationId)
    await fire()
    const claims = await s.stage.query('select from automations.enrollment_claims')
    return claims.length === 0 && (await stepCount(automationId)) === before
  })
  const steps = await stepCount(automationId)
  for (let times = 0; times < 3; times += 1) await fire()
  expect(await stepCount(automationId)).toBe(steps)
  await s.setGate(true)
  await until(async () => (await stepCount(automationId)) > steps)
  const numbers = (await s.steps(automationId))
    .filter(({ node_key: key }) => key === 'score')
    .map((step) => step.number)
  expect(numbers.every((number) => number % 2 === 0)).toBe(true)
  await worker.stop()
  await s.automations.pauseAutomation(s.us, { automationId })
})

test('after a pause or a cancellation is answered no step begins, whatever the worker does at that time', async () => {
  const audienceId = await s.audience()
  const nodes = Array.from({ length: 8 }, () => adjustScore(1))
  const automationId = await s.published(sequence(onSubscription(audienceId), [wait(3_600), ...nodes]))
  const worker = await s.worker()
  const people = 24
  for (let n = 0; n < people; n += 1) await s.subscribe(await s.contact(), audienceId)
  await until(async () => (await s.enrollments(automationId)).length === people)
  const stepsOf = async (enrollmentId: string) =>
    (await s.automations.getEnrollment(s.us, { enrollmentId })).enrollment!.steps.filter((step) => step.outcome).length
  s.stage.clock.advance(7_200_000)
  const answered = await Promise.all(
    (await s.enrollments(automationId)).map(async ({ id: enrollmentId }, index) => {
      const action = index % 2 === 0 ? 'pause' : 'cancel'
      const answer = await patiently(() => s.automations.controlEnrollment(s.us, { enrollmentId, action })).then(
        ({ enrollment }) => enrollment!.state,
        (error: unknown) => expect(error).toMatchObject({ code: 'conflict' }),
      )
      return { enrollmentId, state: answer ?? undefined, steps: await stepsOf(enrollmentId) }
    }),
  )
  await until(async () =>
    (await s.enrollments(automationId)).every(({ state }) => state !== 'active' && state !== 'waiting'),
  )
  for (const { enrollmentId, state, steps } of answered) {
    const { enrollment } = await s.automations.getEnrollment(s.us, { enrollmentId })
    expect(enrollment!.state).toBe(state ?? 'completed')
    if (state !== undefined) expect(await stepsOf(enrollmentId)).toBe(steps)
  }
  const scores = await s.stage.query(
    `select from contacts.contacts c join automations.enrollments e on e.contact_id = c.id
      where e.automation_id = $1 and c.score <> (select count(*) from automations.enrollment_steps k
                                                  where k.enrollment_id = e.id and k.outcome = 'applied')`,
    [automationId],
  )
  expect(scores).toEqual([])
  await worker.stop()
})

test('after a pause of the automation is answered no trigger enrols, whatever consumers do at that time', async () => {
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), [wait(3_600)]))
  const worker = await s.worker()
  const subscribed = Array.from({ length: 30 }, async () => s.subscribe(await s.contact(), audienceId))
  await until(async () => (await s.enrollments(automationId)).length > 0)
  await s.automations.pauseAutomation(s.us, { automationId })
  const enrolled = (await s.enrollments(automationId)).length
  await Promise.all(subscribed)
  await s.handled(worker, 'on-audience-subscribed', 30)
  expect(await s.enrollments(automationId)).toHaveLength(enrolled)
})

test('a decision that names tags by their ids finds a renamed one, and the one that stays after a merge', async () => {
  const audienceId = await s.audience()
  const { tag: gold } = await s.contacts.registerTag(s.us, { name: 'gold' })
  const { tag: silver } = await s.contacts.registerTag(s.us, { name: 'silver' })
  const automationId = await s.published({
    trigger: onSubscription(audienceId),
    start_node: 'wait',
    nodes: [
      { key: 'wait', ...wait(3_600) },
      { key: 'which', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      { from: 'wait', to: 'which', branch: 'default' },
      {
        from: 'which',
        to: 'end',
        branch: 'both',
        condition: {
          all: [
            { tag: gold!.id, operator: 'exists' },
            { tag: silver!.id.toUpperCase(), operator: 'exists' },
          ],
        },
      },
      { from: 'which', to: 'end', branch: 'default' },
    ],
  })
  const worker = await s.worker()
  for (const tags of [['gold'], ['silver'], []]) await s.subscribe(await s.contact(s.us, { tags }), audienceId)
  await until(async () => (await s.enrollments(automationId)).length === 3)
  await s.contacts.renameTag(s.us, { tagId: gold!.id, name: 'precious' })
  await s.contacts.mergeTag(s.us, { tagId: silver!.id, into: 'precious' })
  s.stage.clock.advance(7_200_000)
  await s.completed(automationId, 3)
  const branches = (await s.steps(automationId)).flatMap(({ branch }) => branch ?? [])
  expect(branches.toSorted()).toEqual(['both', 'both', 'default'])
  await worker.stop()
})
