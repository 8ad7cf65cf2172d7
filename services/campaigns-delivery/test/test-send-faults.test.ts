import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { openTesting, type TestingStage } from './testing-stage.ts'

const handOffTimeoutMs = 4_000
let rig: TestingStage
let api: Awaited<ReturnType<TestingStage['api']>>
beforeAll(async () => {
  rig = await openTesting()
  api = await rig.api({ DELIVERY_HAND_OFF_TIMEOUT_MS: String(handOffTimeoutMs) })
  await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: String(handOffTimeoutMs) })
})
afterEach(async () => {
  await rig.sim('PUT', '/faults', { mode: 'none' })
  await rig.stage.query('delete from campaigns.connection_holds')
})
afterAll(() => rig.close())

const fault = (mode: string) => rig.sim('PUT', '/faults', { mode })
const restOver = () => rig.stage.query('delete from campaigns.connection_holds')
const lookUpNow = (id: string) =>
  rig.stage.query('update campaigns.hand_offs set next_lookup_at = now() where origin_id = $1', [id])
const listed = (id: string) => rig.listed(id)

describe('certainly not accepted: it has failed, and a repeat of the key does not send', () => {
  test('rate limited: the connection is in cooldown, and no call is made before its end', async () => {
    await fault('rate_limit')
    const input = rig.input()
    const sent = await rig.send(input, api)
    expect(sent).toMatchObject({ state: 'failed', attemptCount: 1 })
    expect(sent.providerMessageId).toBeUndefined()
    await fault('none')
    // A second passes quickly. The length of the cooldown does not matter here.
    await rig.stage.query(`update campaigns.connection_holds set until = until + interval '1 hour'`)
    const calls = await rig.calls()
    await expect(rig.send({}, api)).rejects.toMatchObject({ code: 'failed_precondition', reason: 'provider_cooldown' })
    expect(await rig.send(input, api)).toEqual(sent)
    expect(await rig.calls()).toBe(calls)
    await restOver()
    expect(await rig.send(input, api)).toEqual(sent)
    expect(await rig.messagesTo(input.recipientEmail)).toEqual([])
  })

  test('after the cooldown one trial call is made and opens the connection again', async () => {
    await fault('rate_limit')
    await rig.send({}, api)
    await fault('none')
    await until(async () => {
      const sent = await rig.send({}, api).catch(() => undefined)
      return sent?.state === 'accepted'
    })
    expect(await rig.stage.query('select 1 from campaigns.connection_holds')).toEqual([])
  })

  test('unreachable: the provider does not listen', async () => {
    const cutOff = await rig.api({ MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9' })
    expect(await rig.send({}, cutOff)).toMatchObject({ state: 'failed' })
    await restOver()
    const rehearsal = await rig.rehearse({}, cutOff)
    expect(rehearsal).toMatchObject({ state: 'failed', reconciliation: { failureReason: 'not_sent' } })
  })
})

test('a gate that closes after the conditions were checked stops the test', async () => {
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() - interval '1 minute', 0, 'unreachable')`,
    [rig.workspaceId, rig.connectionId],
  )
  const holder = new pg.Client({ connectionString: rig.stage.adminUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select 1 from campaigns.connection_holds for update')
    const calls = await rig.calls()
    const sending = rig.send({}, api).then(
      () => 'sent',
      (error: unknown) => error,
    )
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from connection_holds%'`
    await until(async () => (await rig.stage.query(waiting)).length > 0, { what: 'the intent to wait' })
    await rig.setGate(false, 'test_sends_enabled')
    await holder.query('commit')
    expect(await sending).toMatchObject({ code: 'failed_precondition', reason: 'test_sends_switch' })
    expect(await rig.calls()).toBe(calls)
  } finally {
    await holder.end()
    await rig.setGate(true, 'test_sends_enabled')
  }
})

describe('ambiguous: it stays queued and is not sent again', () => {
  test.each(['reset_after_accept', 'accept_then_error', 'truncated', 'accept_then_timeout'])(
    '%s: its events settle it',
    async (mode) => {
      await fault(mode)
      const input = rig.input()
      const sent = await rig.send(input, api)
      expect(['queued', 'accepted', 'delivered']).toContain(sent.state)
      await fault('none')
      await until(async () => (await listed(sent.id)).state === 'delivered')
      expect(await listed(sent.id)).toMatchObject({ handOffState: 'accepted', attemptCount: 1 })
      expect((await rig.send(input, api)).id).toBe(sent.id)
      expect(await rig.messagesTo(input.recipientEmail)).toHaveLength(1)
    },
  )

  test.each(['server_error', 'timeout'])('%s: the provider does not know it, and it stays unknown', async (mode) => {
    await fault(mode)
    const input = rig.input()
    const sent = await rig.send(input, api)
    expect(sent).toMatchObject({ state: 'queued', attemptCount: 1 })
    await fault('none')
    await restOver()
    for (let lookups = 1; lookups <= 4; lookups += 1) {
      await lookUpNow(sent.id)
      await until(async () => {
        const [row] = await rig.stage.query<{ lookups: number }>(
          'select lookups from campaigns.hand_offs where origin_id = $1',
          [sent.id],
        )
        return row!.lookups === lookups
      })
    }
    expect(await rig.send(input, api)).toEqual(sent)
    expect(await listed(sent.id)).toMatchObject({ state: 'queued', handOffState: 'unknown' })
    expect(await rig.messagesTo(input.recipientEmail)).toEqual([])
    const alerts = await rig.stage.query<{ detail: object }>(
      `select 1 from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0 and position($2::bytea in payload) > 0`,
      [sent.id, 'hand_off_unknown'],
    )
    expect(alerts).toHaveLength(1)
    await expect(
      rig.campaigns.requireConnectionUnused(rig.us, { connectionId: rig.connectionId }),
    ).resolves.toBeDefined()
  })

  test('a lookup accepts what the provider has, without counting it as an event', async () => {
    await rig.stage.query(`update campaigns.hand_offs set next_lookup_at = null`)
    await rig.sim('PUT', '/domains/mail.acme.test', { webhooks: {} })
    await fault('reset_after_accept')
    const rehearsal = await rig.rehearse({}, api)
    expect(rehearsal.state).toBe('pending')
    await fault('none')
    await expect(
      rig.campaigns.requireConnectionUnused(rig.us, { connectionId: rig.connectionId }),
    ).rejects.toMatchObject({ reason: 'connection_in_use' })
    await lookUpNow(rehearsal.testSendRequestId)
    const sent = await until(async () => {
      const now = await rig.rehearsal(rehearsal.id)
      return now.state === 'sent' ? now : undefined
    })
    expect(sent.reconciliation).toMatchObject({ received: [], missing: ['accepted', 'delivered'] })
    await rig.sending.registerSendingDomainWebhooks(rig.us, { domainId: rig.domainId })
  })
})

describe('a process that is killed in between', () => {
  test.each([
    ['after_intent', 0],
    ['after_handoff', 1],
  ] as const)('%s sends no second message', async (point, messages) => {
    const dying = await rig.api({ DELIVERY_PAUSE_AT: point, DELIVERY_HAND_OFF_TIMEOUT_MS: '1000' })
    const input = rig.input()
    // it hangs forever, like a dead process
    void dying.createTestSend(rig.us, input, { timeoutMs: 60_000 }).catch(() => undefined)
    await until(async () => (await rig.messagesTo(input.recipientEmail)).length === messages)
    // On a loaded machine an event of the message may have settled the hand-off before.
    await until(async () => {
      const aged = await rig.stage.query(
        `update campaigns.hand_offs h set judged_at = h.judged_at - interval '1 minute', claimed_at = h.claimed_at - interval '1 minute'
           from campaigns.test_sends t where t.id = any(h.message_ids) and t.recipient_email = $1 returning h.id`,
        [input.recipientEmail],
      )
      return aged.length > 0
    })
    const settled = messages === 0 ? 'unknown' : 'accepted'
    const sent = await until(async () => {
      const { id } = await rig.send(input, api)
      const now = await listed(id)
      return now.handOffState === settled ? now : undefined
    })
    expect(sent.attemptCount).toBe(1)
    if (messages === 1) await until(async () => (await listed(sent.id)).state === 'delivered')
    expect(await rig.messagesTo(input.recipientEmail)).toHaveLength(messages)
  })
})
