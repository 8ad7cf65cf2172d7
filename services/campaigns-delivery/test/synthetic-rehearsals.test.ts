import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { sha256Of } from '@lettergate/canonical-json'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { insertHandOff } from './message-rows.ts'
import { workerProcesses } from './worker-process.ts'

let rig: DeliveryStage
let worker: Awaited<ReturnType<DeliveryStage['worker']>>
const { start: workerProcess, killAll } = workerProcesses(() => rig)
const gate = 'synthetic_rehearsals_enabled'

beforeAll(async () => {
  rig = await openDelivery()
  await rig.setGate(true, gate)
  worker = await rig.worker()
  // People, a consent record and suppressions of the workspace, which no rehearsal may change.
  const audience = await rig.audience()
  const contactId = await rig.subscriber(audience, 'ada@example.org', 'Ada')
  await rig.subscriber(audience, 'grace@example.org')
  await rig.contacts.suppressContact(rig.us, { contactId, scope: 'workspace', reason: 'manual' })
  await until(async () => (await rig.stage.query('select from contacts.unsealed_consent_batches')).length === 0)
})
afterEach(() => killAll())
afterAll(() => rig.close())

const request = (recipientCount = 100, idempotencyKey = newId()) => ({
  idempotencyKey,
  confirmation: `RUN ${recipientCount} SYNTHETIC REHEARSAL`,
  recipientCount,
})
const read = async (runId: string) => (await rig.campaigns.getSyntheticRehearsal(rig.us, { runId })).run!
const ended = (runId: string) =>
  until(
    async () => {
      const run = await read(runId)
      return run.completedAt === undefined ? undefined : run
    },
    { what: 'the rehearsal to end' },
  )
const providerCalls = async () => {
  const {
    message_calls: calls,
    accepted,
    recipients,
  } = (await rig.sim('GET', '/stats')) as unknown as Record<string, number>
  return { calls, accepted, recipients }
}

const moving = ['outbox', 'outbox_pending', 'outbox_published', 'inbox', 'consent_record_checks']
/** A hash of every row of every table of contacts-consent, and of every table of campaigns-delivery except what a rehearsal keeps. */
async function contents() {
  const tables = await rig.stage.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('contacts', 'campaigns') and tablename <> all($1) and tablename not in ('synthetic_rehearsals', 'idempotency_keys') order by 1`,
    [moving],
  )
  const hashes: Record<string, unknown> = {}
  for (const { name } of tables)
    [hashes[name]] = await rig.stage.query(
      `select count(*)::int as rows, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${name} t`,
    )
  return hashes
}
const waitingForHandOffs = async () =>
  (
    await rig.stage.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into hand_offs%'`,
    )
  ).length
const events = async (schema: string) =>
  (await rig.stage.query<{ count: number }>(`select count(*)::int as count from ${schema}.outbox`))[0]!.count

test('a rehearsal runs the real code, calls no provider, keeps only its report, and leaves nothing', async () => {
  const before = { contents: await contents(), calls: await providerCalls(), events: await events('contacts') }
  const { created, run: queued } = await rig.campaigns.createSyntheticRehearsal(rig.us, request(400))
  expect(created).toBe(true)
  expect(queued).toMatchObject({ recipientCount: 400, providerCallCount: 0, targetSeconds: 60 })
  const run = await ended(queued!.id)
  expect(run).toMatchObject({
    state: 'completed',
    workspaceId: rig.workspaceId,
    requestedByWalletId: rig.us.caller.actor,
    eligibleCount: 360,
    excludedCount: 40,
    claimedCount: 360,
    duplicateClaimCount: 0,
    providerCallCount: 0,
    cleanupVerified: true,
  })
  expect(run.recoveredCount).toBeGreaterThan(0)
  expect(run.elapsedMilliseconds).toBeGreaterThan(0)
  const report = run.report as { stages: { name: string }[] } & Record<string, unknown>
  expect(run.reportChecksum).toBe(sha256Of(report))
  expect(report).toMatchObject({
    run_state: 'completed',
    recipients: {
      eligible: 360,
      excluded: 40,
      sent: 360,
      exclusion_counts: { suppressed_workspace: 20, suppressed_audience: 20 },
    },
    crashes: { before_intent: 1, after_intent: 1 },
    remaining_rows: 0,
  })
  expect(report.stages.map(({ name }) => name)).toEqual([
    'contacts',
    'eligibility',
    'delivery_check',
    'snapshot',
    'claim',
    'request',
    'settle',
    'recovery',
  ])
  expect({ contents: await contents(), calls: await providerCalls(), events: await events('contacts') }).toEqual(before)
})

/** A run of 200 recipients in two hand-offs that took 6 s: the first result came after 1 s, and before the second a gate was closed. */
async function insertCompletedRun() {
  const [runId, campaignId] = [newId(), newId()]
  await rig.stage.query(
    `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sent', 1, 'test')`,
    [rig.workspaceId, campaignId],
  )
  await rig.stage.query(
    `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for,
                                          scheduled_by, correlation_id, included_count, started_at, completed_at)
     values ($1, $3, $2, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'completed', now(), 'test', 'test', 200, now() - interval '1 hour', now())`,
    [rig.workspaceId, campaignId, runId],
  )
  await rig.stage.query(
    `insert into campaigns.snapshots (workspace_id, id, run_id, campaign_id, draft_version, audience_ids, included_count, excluded_count, exclusion_counts, created_at)
     select workspace_id, snapshot_id, id, campaign_id, 1, '{}', 200, 0, '{}', created_at + interval '3 seconds' from campaigns.campaign_runs where id = $1`,
    [runId],
  )
  for (const [batch, seconds] of [1, 600].entries()) {
    const id = newId()
    const messageIds = Array.from({ length: 100 }, newId)
    const handOff = { workspaceId: rig.workspaceId, id, originId: runId, batch, messageIds, state: 'accepted' }
    await insertHandOff(rig.stage, { ...handOff, connectionId: rig.connectionId })
    await rig.stage.query(
      `update campaigns.hand_offs h set judged_at = started_at, claimed_at = started_at, settled_at = started_at + $2 * interval '1 second'
         from campaigns.campaign_runs r where h.id = $1 and r.id = h.origin_id`,
      [id, seconds],
    )
  }
}

test('a prediction is what was rehearsed until the workspace has sent runs, and then what they took', async () => {
  const predicted = async () => {
    const { run } = await rig.campaigns.createSyntheticRehearsal(rig.us, request(400))
    return (await ended(run!.id)).report as { prediction: Record<string, unknown> }
  }
  expect(await predicted()).toMatchObject({ prediction: { basis: 'rehearsal' } })
  await insertCompletedRun()
  expect(await predicted()).toMatchObject({ prediction: { basis: 'recent_runs', runs: 1, delivery_seconds: 19 } })
})

test('the same key answers the same rehearsal, also after the gate closed; with another count it is a conflict', async () => {
  const first = request(100)
  const { run } = await rig.campaigns.createSyntheticRehearsal(rig.us, first)
  const again = await Promise.all([1, 2, 3].map(() => rig.campaigns.createSyntheticRehearsal(rig.us, first)))
  expect(again.map((one) => [one.created, one.run!.id])).toEqual([1, 2, 3].map(() => [false, run!.id]))
  const other = rig.campaigns.createSyntheticRehearsal(rig.us, request(101, first.idempotencyKey))
  await expect(other).rejects.toMatchObject({ code: 'conflict', reason: 'idempotency_key' })
  await ended(run!.id)
  await rig.setGate(false, gate)
  expect(await rig.campaigns.createSyntheticRehearsal(rig.us, first)).toMatchObject({ created: false })
  const refused = rig.campaigns.createSyntheticRehearsal(rig.us, request())
  await expect(refused).rejects.toMatchObject({ code: 'failed_precondition', reason: 'synthetic_rehearsals_switch' })
  await rig.setGate(true, gate)
})

test.each([
  ['confirmation', { confirmation: 'RUN 101 SYNTHETIC REHEARSAL' }],
  ['confirmation', { confirmation: 'run 100 synthetic rehearsal' }],
  ['recipient_count', { recipientCount: 99, confirmation: 'RUN 99 SYNTHETIC REHEARSAL' }],
  ['recipient_count', { recipientCount: 10_001, confirmation: 'RUN 10001 SYNTHETIC REHEARSAL' }],
  ['idempotency_key', { idempotencyKey: 'elevenchars' }],
])('%s is refused as in %j', async (reason, change) => {
  const refused = rig.campaigns.createSyntheticRehearsal(rig.us, { ...request(), ...change })
  await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('a rehearsal that waits while the gate closes ends as failed, and no worker begins it', async () => {
  await worker.stop()
  const before = await contents()
  const { run } = await rig.campaigns.createSyntheticRehearsal(rig.us, request())
  await rig.setGate(false, gate)
  worker = await rig.worker()
  expect(await ended(run!.id)).toMatchObject({
    state: 'failed',
    cleanupVerified: true,
    report: { failure: { reason: 'synthetic_rehearsals_switch' }, remaining_rows: 0 },
  })
  expect(await read(run!.id)).not.toHaveProperty('claimedCount', expect.anything())
  expect(await contents()).toEqual(before)
  await rig.setGate(true, gate)
})

test('a rehearsal whose worker is killed leaves nothing and ends as failed; the next one runs', async () => {
  await worker.stop()
  const before = await contents()
  const blocker = new pg.Client({ connectionString: rig.stage.databaseUrl('campaigns') })
  await blocker.connect()
  try {
    await blocker.query('begin; lock table campaigns.hand_offs in exclusive mode')
    const { run } = await rig.campaigns.createSyntheticRehearsal(rig.us, request())
    const dying = await workerProcess()
    await until(async () => (await waitingForHandOffs()) > 0, { what: 'the rehearsal to claim' })
    expect((await read(run!.id)).state).toBe('running')
    await dying.killed()
    await blocker.query('rollback')
    await until(async () => (await waitingForHandOffs()) === 0)
    await rig.stage.query(`update campaigns.synthetic_rehearsals set leased_until = now() where state = 'running'`)
    const { run: next } = await rig.campaigns.createSyntheticRehearsal(rig.us, request())
    await rig.worker()
    expect(await ended(run!.id)).toMatchObject({
      state: 'failed',
      cleanupVerified: true,
      report: { failure: { reason: 'worker_lost' }, remaining_rows: 0 },
    })
    expect(await ended(next!.id)).toMatchObject({ state: 'completed' })
    expect(await contents()).toEqual(before)
  } finally {
    await blocker.end()
  }
})
