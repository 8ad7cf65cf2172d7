import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let worker: Awaited<ReturnType<DeliveryStage['worker']>>
let holder: pg.Client
beforeAll(async () => {
  rig = await openDelivery()
  worker = await rig.worker()
  holder = new pg.Client({ connectionString: rig.stage.adminUrl })
  await holder.connect()
})
afterAll(async () => {
  await holder.end()
  await rig.close()
})

const rejudged = async () => {
  const text = await (await fetch(`http://127.0.0.1:${worker.healthPort}/metrics`)).text()
  return Number(/^lettergate_batches_rejudged_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** A run with verdicts, whose worker waits for the row of the connection before it stores the intent. */
async function judgedRun(emails: readonly string[]) {
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() - interval '1 minute', 0, 'unreachable')
     on conflict (workspace_id, connection_id) do nothing`,
    [rig.workspaceId, rig.connectionId],
  )
  await holder.query('begin')
  await holder.query('select 1 from campaigns.connection_holds where connection_id = $1 for update', [rig.connectionId])
  const audience = await rig.audience()
  const contactIds = await Promise.all(emails.map((email) => rig.subscriber(audience, email)))
  const { campaignId } = await rig.draft(audience)
  const { id: runId } = await rig.schedule(campaignId)
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from connection_holds%'`
  await until(async () => (await rig.stage.query(waiting)).length > 0, {
    what: 'the worker to have the verdicts',
  })
  return { audience, contactIds, runId }
}
const completed = (runId: string) =>
  until(
    async () => {
      const { run, report } = await rig.report(runId)
      return run.state === 'completed' && report
    },
    { what: 'the run to complete' },
  )
const isReceived = (contactId: string) =>
  until(
    async () =>
      (await rig.stage.query('select 1 from campaigns.refusals_heard where contact_id = $1', [contactId])).length > 0,
    { what: 'the refusal to be received' },
  )

/** When the transaction began that waits for the connection. After 2 s the worker gives it up, and asks for new verdicts. */
const waitsSince = async () =>
  (
    await rig.stage.query<{ at: string }>(
      `select xact_start::text as at from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from connection_holds%'`,
    )
  )[0]?.at

test('a contact who is suppressed between verdict and intent is not sent to, and the others are', async () => {
  for (let round = 0, isCaught = false; !isCaught; round += 1) {
    const goes = `goes${round}@example.org`
    const { contactIds, runId } = await judgedRun([`stays${round}@example.org`, goes])
    const since = await waitsSince()
    const before = await rejudged()
    await rig.contacts.suppressContact(rig.us, { contactId: contactIds[1]!, scope: 'workspace', reason: 'manual' })
    await isReceived(contactIds[1]!)
    // The same transaction, which began with the verdict of a contact who was not suppressed.
    isCaught = since !== undefined && (await waitsSince()) === since
    await holder.query('commit')
    expect(await completed(runId)).toMatchObject({ sent: 1, skipped: 1, skipReasons: { suppressed_workspace: 1 } })
    expect((await rig.messages()).map(({ to }) => to)).not.toContain(goes)
    if (isCaught) expect(await rejudged()).toBeGreaterThan(before)
  }
})

test('the same for a contact who withdraws by their link', async () => {
  const { audience, contactIds, runId } = await judgedRun(['leaves@example.org'])
  await rig.contacts.unsubscribeContact(rig.us, { contactId: contactIds[0]!, audienceId: audience })
  await isReceived(contactIds[0]!)
  await holder.query('commit')
  expect(await completed(runId)).toMatchObject({ sent: 0, skipped: 1 })
  expect((await rig.messages()).map(({ to }) => to)).not.toContain('leaves@example.org')
})

test('the same for a contact who is erased', async () => {
  const { contactIds, runId } = await judgedRun(['remains@example.org', 'erased@example.org'])
  await rig.contacts.eraseContact(rig.us, { contactId: contactIds[1]!, confirmation: `ERASE ${contactIds[1]!}` })
  await isReceived(contactIds[1]!)
  await holder.query('commit')
  expect(await completed(runId)).toMatchObject({ sent: 1, skipped: 1, skipReasons: { contact_missing: 1 } })
  expect((await rig.messages()).map(({ to }) => to)).not.toContain('erased@example.org')
})

test('no intent uses a verdict that expired while the worker waited', async () => {
  const { runId } = await judgedRun(['patient@example.org'])
  const [{ at } = { at: '' }] = await rig.stage.query<{ at: string }>(`select (now() + interval '2 s')::text as at`)
  await until(async () => (await rig.stage.query('select 1 where now() > $1', [at])).length > 0)
  await holder.query('commit')
  expect(await completed(runId)).toMatchObject({ sent: 1 })
  const tooOld = `select 1 from campaigns.hand_offs where claimed_at > judged_at + interval '2 s'`
  expect(await rig.stage.query(tooOld)).toEqual([])
})

test('when verdicts expire, the gates are checked again, even if no change was reported', async () => {
  // The intent waits longer than the worker keeps an answer about the gates, which is three seconds.
  await rig.stage.query(
    `create function campaigns.slow_interval() returns trigger language plpgsql as $$ begin perform pg_sleep(3.5); return new; end $$;
     create trigger slow_interval before insert on campaigns.interval_claims for each row execute function campaigns.slow_interval()`,
  )
  const audience = await rig.audience(3_600)
  await rig.subscriber(audience, 'gated@example.org')
  const { campaignId } = await rig.draft(audience)
  const before = await rejudged()
  const { id: runId } = await rig.schedule(campaignId)
  const sleeping = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await until(async () => (await rig.stage.query(sleeping)).length > 0, { everyMs: 20, what: 'the intent to wait' })
  await rig.stage.query(`update identity.platform_gates set stored = false where name = 'production_sending_enabled'`)
  // Waits for the first intent and lets no other one wait.
  await rig.stage.query('drop trigger slow_interval on campaigns.interval_claims')
  await until(
    async () => {
      const { run, report } = await rig.report(runId)
      return run.state === 'completed' || report.heldBy === 'production_sending_enabled'
    },
    { what: 'the run to be held' },
  )
  expect(await rejudged()).toBe(before + 1)
  expect((await rig.messages()).map(({ to }) => to)).not.toContain('gated@example.org')
  await rig.setGate(true)
  expect(await completed(runId)).toMatchObject({ sent: 1 })
})
