// Over 300 lines because its tests share one history of runs.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { insertFacts, messageStatesOf } from './message-rows.ts'
import { openResend, type ResendStage } from './resend-stage.ts'

let rig: ResendStage
beforeAll(async () => {
  rig = await openResend()
})
beforeEach(() => rig.work())
afterEach(async () => {
  await rig.stopWorkers()
  await rig.sim('DELETE', '/messages')
})
afterAll(() => rig.close())

/** How many messages of this run can be sent again, and how many were. */
async function unknownOf(runId: string) {
  const { resendable, resent } = await rig.campaigns.getCampaignRunUnknown(rig.us, { runId })
  return { resendable, resent }
}

test('the unknown messages of a run are sent again in a new run to exactly these recipients, with links, and the old run is unchanged', async () => {
  const { run, campaignId } = await rig.unknownRun(3)
  const before = await rig.report(run.id)
  expect(before.run.resentByRunId).toBeUndefined()
  expect(await rig.mailed()).toEqual([])

  const made = await rig.resent(run.id, 3)
  expect(made).toMatchObject({ campaignId, includedCount: 3, resendsRunId: run.id })
  expect(['scheduled', 'sending']).toContain(made.state)
  await rig.becomes(made.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p1', 'p2'])
  await until(async () => (await rig.report(made.id)).report.delivered === 3, { what: 'deliveries' })

  const old = await rig.report(run.id)
  expect(old.report).toEqual(before.report)
  expect(old.run).toEqual({ ...before.run, resentByRunId: made.id })
  const copied = await rig.recipientsOf(made.id)
  const originals = await rig.recipientsOf(run.id)
  expect(copied.map((person) => ({ ...person, id: '' }))).toEqual(originals.map((person) => ({ ...person, id: '' })))
  expect(copied.some(({ id }) => originals.some((original) => original.id === id))).toBe(false)
  for (const { id } of copied)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const madeAt = copied.map(({ id }) => parseInt(id.replaceAll('-', '').slice(0, 12), 16))
  const runMadeAt = parseInt(made.id.replaceAll('-', '').slice(0, 12), 16)
  for (const at of madeAt) expect(Math.abs(at - runMadeAt)).toBeLessThan(3_600_000)

  const links = [
    { id: made.id, resendsRunId: run.id, resentByRunId: undefined },
    { id: run.id, resendsRunId: undefined, resentByRunId: made.id },
  ]
  const linksOf = (runs: { id: string; resendsRunId?: string; resentByRunId?: string }[]) =>
    runs.map(({ id, resendsRunId, resentByRunId }) => ({ id, resendsRunId, resentByRunId }))
  expect(linksOf((await rig.campaigns.listCampaignRuns(rig.us, { campaignId })).campaignRuns)).toEqual(links)
  const campaign = await rig.campaigns.getCampaign(rig.us, { campaignId })
  expect([campaign.campaign!.status, linksOf(campaign.runs)]).toEqual(['sent', links])
})

test('the resend is announced as a scheduled run, also to the campaign webhook, and audited with actor and count', async () => {
  const { run, campaignId } = await rig.unknownRun(2)
  await rig.campaigns.setCampaignWebhook(rig.us, {
    campaignWebhookUrl: 'http://127.0.0.1:9/',
    campaignWebhookSecret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    updateMask: { paths: ['campaign_webhook_url', 'campaign_webhook_secret'] },
  })
  const made = await rig.resent(run.id, 2)
  await rig.becomes(made.id, 'completed')
  const owed = await rig.stage.query<{ type: string }>(
    `select type from campaigns.campaign_webhook_deliveries where run_id = $1 order by id`,
    [made.id],
  )
  expect(owed.map(({ type }) => type)).toEqual(
    ['scheduled', 'started', 'completed'].map((what) => `campaign_run.${what}`),
  )
  await until(
    async () => {
      const [record] = await rig.stage.query<{ actor: string; detail: object }>(
        `select actor, detail from identity.audit_log where subject_id = $1 and action = 'campaign_run_unknown_resent'`,
        [run.id],
      )
      if (!record) return false
      expect(record).toEqual({
        actor: rig.us.caller.actor,
        detail: { campaign_id: campaignId, resent_by_run_id: made.id, count: 2 },
      })
      return true
    },
    { what: 'the audit record' },
  )
  const announced = await rig.stage.query(
    `select 1 from campaigns.outbox where event = 'run_scheduled' and position($1::bytea in payload) > 0`,
    [Buffer.from(made.id)],
  )
  expect(announced).toHaveLength(1)
})

test('the unknown messages of a run that failed because its sender was deleted are sent again from another sender', async () => {
  const { run, campaignId } = await rig.unknownRun(2)
  await rig.stage.query(
    `update campaigns.campaign_runs set state = 'failed', failure_reason = 'sender_missing', sender_identity_id = $2, completed_at = null where id = $1`,
    [run.id, newId()],
  )
  await rig.stage.query(`update campaigns.campaigns set status = 'cancelled' where id = $1`, [campaignId])
  for (const senderIdentityId of [undefined, newId(), 'no-id'])
    await expect(rig.resend(run.id, 2, { senderIdentityId })).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'sender_missing',
    })
  const key = newId()
  const { campaignRun: made } = await rig.resend(run.id, 2, { key, senderIdentityId: rig.senderId })
  await expect(rig.resend(run.id, 2, { key })).rejects.toMatchObject({ code: 'conflict', reason: 'idempotency_key' })
  await rig.becomes(made!.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p1'])
  expect(await rig.report(run.id)).toMatchObject({ run: { state: 'failed' }, report: { unknown: 2 } })
})

test('recipients whose message became known are not sent to, and the old count is refused with the current one', async () => {
  const { run, campaignId } = await rig.unknownRun(3)
  const [known] = await rig.recipientsOf(run.id)
  await insertFacts(rig.stage, { workspaceId: rig.workspaceId, originId: run.id, messageId: known!.id }, [
    { fact: 'delivered' },
  ])
  await expect(rig.resend(run.id, 3)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'count',
    message: expect.stringContaining('is 2 now'),
  })
  expect(await rig.runsOf(campaignId)).toHaveLength(1)
  const made = await rig.resent(run.id, 2)
  await rig.becomes(made.id, 'completed')
  expect(await rig.mailed()).toEqual(['p1', 'p2'])
})

test('a recipient who withdrew is not sent to, and no recipient is sent to a third time from the old run', async () => {
  const { run, audienceId, contacts } = await rig.unknownRun(3)
  expect(await unknownOf(run.id)).toEqual({ resendable: 3, resent: 0 })
  await rig.contacts.unsubscribeContact(rig.us, { contactId: contacts[1]!, audienceId })
  const made = await rig.resent(run.id, 3)
  await rig.becomes(made.id, 'completed')
  expect((await rig.report(made.id)).report).toMatchObject({ sent: 2, skipped: 1 })
  expect(await rig.mailed()).toEqual(['p0', 'p2'])
  expect(await unknownOf(run.id)).toEqual({ resendable: 1, resent: 2 })

  for (const count of [2, 3])
    await expect(rig.resend(run.id, count)).rejects.toMatchObject({
      reason: 'count',
      message: expect.stringContaining('is 1 now'),
    })
  const again = await rig.resent(run.id, 1)
  await rig.becomes(again.id, 'completed')
  expect((await rig.report(again.id)).report).toMatchObject({ sent: 0, skipped: 1 })
  expect((await rig.report(run.id)).run.resentByRunId).toBe(again.id)
  expect(await unknownOf(run.id)).toEqual({ resendable: 1, resent: 2 })
  expect(await rig.mailed()).toEqual(['p0', 'p2'])
})

test('messages that are unknown in the new run are sent again from there, not from the old run', async () => {
  const { run } = await rig.unknownRun(2)
  await rig.failing('server_error')
  const second = await rig.resent(run.id, 2)
  await rig.becomes(second.id, 'completed')
  await rig.failing('none')
  expect((await rig.report(second.id)).report).toMatchObject({ sent: 0, unknown: 2 })
  await expect(rig.resend(run.id, 2)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'nobody_unknown',
    message: expect.stringContaining('was sent again by another run'),
  })
  const third = await rig.resent(second.id, 2)
  await rig.becomes(third.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p1'])
  expect((await rig.report(second.id)).run).toMatchObject({ resendsRunId: run.id, resentByRunId: third.id })
})

test('recipients may get the email twice, and a late event of the first one counts only in the old run', async () => {
  await rig.sim('PUT', '/domains/mail.acme.test', { webhooks: {} })
  const { run } = await rig.unknownRun(1, { mode: 'accept_then_error', tag: '+silent' })
  expect(await rig.mailed()).toEqual(['p0'])
  const made = await rig.resent(run.id, 1)
  await rig.becomes(made.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p0'])
  const after = (await rig.report(made.id)).report

  await rig.stage.query(`update campaigns.hand_offs set next_lookup_at = now() where origin_id = $1`, [run.id])
  await until(async () => (await rig.report(run.id)).report.sent === 1, {
    what: 'the look-up to settle the first message',
  })
  expect((await rig.report(run.id)).report.unknown).toBe(0)
  expect((await rig.report(made.id)).report).toEqual(after)
  await rig.sending.registerSendingDomainWebhooks(rig.us, { domainId: rig.domainId })
})

test('a cancelled resend leaves its recipients for another resend; it cannot be unscheduled', async () => {
  const { run, campaignId } = await rig.unknownRun(2)
  await rig.stopWorkers()
  // as after the last lookups, which raised alerts
  await rig.stage.query('update campaigns.hand_offs set lookups = 4 where origin_id = $1', [run.id])
  const made = await rig.resent(run.id, 2)
  const ends = await rig.stage.query(
    `select h.id from campaigns.hand_offs h join campaigns.outbox o on o.event = 'alert_raised' and position(h.id::text::bytea in o.payload) > 0
      where h.origin_id = $1 and h.state = 'unknown'`,
    [run.id],
  )
  expect(ends.length).toBeGreaterThan(0)
  await expect(rig.campaigns.unscheduleCampaignRun(rig.us, { runId: made.id })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'run_state',
    message: expect.stringContaining('can be cancelled'),
  })
  expect((await rig.campaigns.getCampaign(rig.us, { campaignId })).campaign!.status).toBe('scheduled')
  expect(await unknownOf(run.id)).toEqual({ resendable: 0, resent: 2 })
  await rig.cancel(made.id)
  await rig.work()
  await until(async () => (await messageStatesOf(rig.stage, made.id)).every(({ state }) => state === 'skipped'))
  expect(await unknownOf(run.id)).toEqual({ resendable: 2, resent: 0 })
  const again = await rig.resent(run.id, 2)
  await rig.becomes(again.id, 'completed')
  expect(await rig.mailed()).toEqual(['p0', 'p1'])
  expect(await unknownOf(run.id)).toEqual({ resendable: 0, resent: 2 })
})

test('the address of a contact who was just erased is in no row of the new run', async () => {
  const { run, contacts } = await rig.unknownRun(2)
  await rig.stopWorkers()
  await rig.stage.query(`insert into campaigns.erased_contacts (workspace_id, contact_id) values ($1, $2)`, [
    rig.workspaceId,
    contacts[0],
  ])
  const made = await rig.resent(run.id, 2)
  const addresses = (await rig.recipientsOf(made.id)).map(({ normalized_email }) => normalized_email)
  expect(addresses).toEqual([expect.stringMatching(/^erased:/), expect.stringMatching(/^p1-/)])
  await rig.cancel(made.id)
})

test('a contact who is erased while the new run is created has no address in it either', async () => {
  const { run, contacts } = await rig.unknownRun(2)
  // The new run cannot be committed until the test allows it.
  await rig.stage.query('create table campaigns.held (yes boolean); insert into campaigns.held values (true)')
  await rig.stage.query('grant select on campaigns.held to campaigns')
  await rig.stage.query(
    `create function campaigns.wait_while_held() returns trigger language plpgsql as $$
       begin while exists (select from campaigns.held) loop perform pg_sleep(0.02); end loop; return new; end $$`,
  )
  await rig.stage.query(
    `create trigger hold before insert on campaigns.snapshots for each row execute function campaigns.wait_while_held()`,
  )
  const making = rig.resent(run.id, 2)
  try {
    const waits = (pattern: string) =>
      until(
        async () =>
          (
            await rig.stage.query(
              `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query ~ $1`,
              [pattern],
            )
          ).length > 0,
        { what: `a statement like ${pattern}` },
      )
    await waits('^insert into [^ ]*"snapshots"')
    await rig.contacts.eraseContact(rig.us, { contactId: contacts[0]!, confirmation: `ERASE ${contacts[0]}` })
    await waits('^select pg_advisory_xact_lock\\(hashtextextended\\(.erased_contacts')
  } finally {
    await rig.stage.query('delete from campaigns.held')
  }
  const made = await making
  await until(
    async () =>
      (await rig.recipientsOf(made.id)).some(({ normalized_email }) => normalized_email.startsWith('erased:')),
    {
      what: 'the address to be taken away',
    },
  )
  await rig.becomes(made.id, 'completed')
  expect(await rig.mailed()).toEqual(['p1'])
})

describe('a key belongs to one new run', () => {
  test('a repeat returns it, also when it is over; another request with the key is a conflict', async () => {
    const { run, campaignId } = await rig.unknownRun(2)
    const made = await rig.resent(run.id, 2, 'once')
    await rig.becomes(made.id, 'completed')
    expect((await rig.resent(run.id, 2, 'once')).id).toBe(made.id)
    await expect(rig.resend(run.id, 1, { key: 'once' })).rejects.toMatchObject({
      code: 'conflict',
      reason: 'idempotency_key',
    })
    await expect(rig.resend(made.id, 2, { key: 'once' })).rejects.toMatchObject({ code: 'conflict' })
    expect(await rig.runsOf(campaignId)).toHaveLength(2)
    expect(await rig.mailed()).toEqual(['p0', 'p1'])
  })

  test('10 identical concurrent requests create one run and get the same answer', async () => {
    const { run, campaignId } = await rig.unknownRun(2)
    const answers = await Promise.all(Array.from({ length: 10 }, () => rig.resent(run.id, 2, 'together')))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(await rig.runsOf(campaignId)).toHaveLength(2)
    await rig.becomes(answers[0]!.id, 'completed')
    expect(await rig.mailed()).toEqual(['p0', 'p1'])
  })

  test('different concurrent keys create one run, and the others get an error that names it', async () => {
    const { run, campaignId } = await rig.unknownRun(2)
    await rig.stopWorkers()
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => rig.resend(run.id, 2)))
    const made = await rig.runsOf(campaignId)
    expect(made.map(({ resends_run_id }) => resends_run_id)).toEqual([null, run.id])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({
          code: 'failed_precondition',
          reason: 'campaign_live',
          message: expect.stringContaining(made[1]!.id),
        })
    await rig.cancel(made[1]!.id)
  })
})
