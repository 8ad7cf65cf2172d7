import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { newId } from '@lettergate/database'
import { isOutage } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { automationGate, openAutomationEmails, type AskedEmail, type AutomationStage } from './automation-stage.ts'

let rig: AutomationStage
beforeAll(async () => {
  rig = await openAutomationEmails()
})
afterEach(async () => {
  await rig.fault('none')
  await rig.endCooldown()
})
afterAll(() => rig.close())

const waitsFor = async (reason: string) => {
  const { address, email } = await rig.person('Pia')
  const before = await rig.calls()
  const [result] = await rig.send([email])
  expect(result).toMatchObject({ outcome: 'waiting', reasons: [reason] })
  expect(result!.retryAt).toBeDefined()
  expect(result!.messageId).toBeUndefined()
  expect(await rig.stage.query('select 1 from campaigns.automation_emails where id = $1', [email.stepId])).toEqual([])
  expect(await rig.calls()).toBe(before)
  return { address, email }
}
const isSent = async ({ address, email }: Awaited<ReturnType<typeof waitsFor>>) => {
  await until(async () => (await rig.send([email]))[0]!.outcome === 'accepted', {
    what: 'the email to be sent',
  })
  expect(await rig.messagesTo(address)).toHaveLength(1)
}
/** The worker has heard that something changed when it answers this. */
const isHeld = (reason: string) =>
  until(
    async () => {
      const { email } = await rig.person('Probe')
      const [result] = await rig.send([email])
      return result!.reasons[0] === reason
    },
    { what: `the worker to wait for ${reason}` },
  )
/** The result of the first call that is answered in time. On a slow machine an answer can come after a short deadline. */
async function answered(email: AskedEmail, options: Parameters<typeof rig.send>[1]) {
  for (;;) {
    try {
      return (await rig.send([email], options))[0]!
    } catch (error) {
      if (!isOutage(error)) throw error
    }
  }
}
/**
 * The first result that names the message, which is under way then. Each result before it has to say that the email waits: on a
 * slow machine the deadline can pass before the call has begun.
 */
async function underWay(email: AskedEmail, to: AutomationStage['emails']) {
  for (;;) {
    const result = await answered(email, { to, timeoutMs: 2_500 })
    expect(result.outcome).toBe('waiting')
    if (result.messageId !== undefined) return result
  }
}

test.each([automationGate, 'production_sending_enabled'])(
  'while the gate %s is closed, and goes on when it opens',
  async (gate) => {
    await rig.setGate(false, gate)
    await isHeld(gate)
    const held = await waitsFor(gate)
    await rig.setGate(true, gate)
    await isSent(held)
  },
)

test('while the workspace may not send', async () => {
  await rig.setWorkspace({ sending: false })
  await isHeld('workspace_sending')
  const held = await waitsFor('workspace_sending')
  await rig.setWorkspace({})
  await isSent(held)
})

test('while the sender is disabled', async () => {
  await rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false')
  await isHeld('sender_identity')
  const held = await waitsFor('sender_identity')
  await rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true')
  await isSent(held)
})

test('during a cooldown of the connection, until its end', async () => {
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() + interval '1 hour', 1, 'unreachable')`,
    [rig.workspaceId, rig.connectionId],
  )
  const held = await waitsFor('cooldown')
  const [{ retryAt } = {}] = await rig.send([held.email])
  expect(Number(retryAt!.seconds) * 1_000).toBeGreaterThan(Date.now() + 30 * 60_000)
  await rig.endCooldown()
  await isSent(held)
})

test('while the connection has no free slot', async () => {
  const narrow = await rig.another({ CONNECTION_HAND_OFFS_AT_ONCE: '1' })
  const { address, email } = await rig.person('Quin')
  await rig.stage.query(
    `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, slot, judged_at, claimed_at)
     values ($1, $2, 'run', $2, 0, '{}', $3, 'd', 'us', 'K', 'claimed', 1, now(), now() + interval '1 hour')`,
    [rig.workspaceId, newId(), rig.connectionId],
  )
  expect(await rig.send([email], { to: narrow })).toMatchObject([{ outcome: 'waiting', reasons: ['connection_full'] }])
  await rig.stage.query(
    `update campaigns.hand_offs set state = 'put_back' where connection_id = $1 and state = 'claimed'`,
    [rig.connectionId],
  )
  expect(await rig.send([email], { to: narrow })).toMatchObject([{ outcome: 'accepted' }])
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('while the connection is ahead of its rate', async () => {
  const paced = await rig.another({ CONNECTION_MESSAGES_PER_SECOND: '1' })
  const { address, email } = await rig.person('Yan')
  await rig.stage.query(
    `insert into campaigns.connection_paces (workspace_id, connection_id, paid_until) values ($1, $2, now() + interval '1 hour')
     on conflict (workspace_id, connection_id) do update set paid_until = excluded.paid_until`,
    [rig.workspaceId, rig.connectionId],
  )
  expect(await rig.send([email], { to: paced })).toMatchObject([{ outcome: 'waiting', reasons: ['paced'] }])
  await rig.stage.query('delete from campaigns.connection_paces')
  expect(await rig.send([email], { to: paced })).toMatchObject([{ outcome: 'accepted' }])
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('what a connection did not take is put back, and a later call sends it once', async () => {
  const { address, email } = await rig.person('Rae')
  await rig.fault('rate_limit')
  expect(await rig.send([email])).toMatchObject([{ outcome: 'waiting', reasons: ['put_back'] }])
  await rig.stage.query(`update campaigns.connection_holds set until = until + interval '1 hour'`)
  expect(await rig.send([email])).toMatchObject([{ outcome: 'waiting', reasons: ['cooldown'] }])
  await rig.fault('none')
  await rig.endCooldown()
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
  expect((await rig.handOffs(email.stepId)).map(({ state }) => state)).toEqual(['put_back', 'accepted'])
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('beyond the deadline of the caller: nothing is begun, and the next call sends it', async () => {
  const { email } = await rig.person('Sam')
  const before = await rig.calls()
  expect(await answered(email, { timeoutMs: 900 })).toMatchObject({ outcome: 'waiting', reasons: ['deadline'] })
  expect(await rig.calls()).toBe(before)
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
})

test('a call that outlasts the deadline is answered as under way, ends, and is not repeated', async () => {
  const slow = await rig.another({ DELIVERY_HAND_OFF_TIMEOUT_MS: '15000' })
  const { address, email } = await rig.person('Tom')
  await rig.fault('none', 8_000)
  expect(await underWay(email, slow)).toMatchObject({ messageId: email.stepId })
  await until(async () => (await rig.send([email]))[0]!.outcome === 'accepted')
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('a worker that stops ends the calls whose callers were answered already', async () => {
  const app = await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '15000' })
  const stopping = await rig.stage.client(AutomationEmails, app.rpcPort!)
  const { address, email } = await rig.person('Zoe')
  await rig.fault('none', 8_000)
  await underWay(email, stopping)
  expect(await rig.messagesTo(address)).toEqual([])
  await app.stop()
  expect((await rig.handOffs(email.stepId)).map(({ state }) => state)).toEqual(['accepted'])
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('a message that was put back is sent under another candidate when the contact left the first one meanwhile', async () => {
  const [left, stays] = [await rig.audience(), await rig.audience()]
  const { address, contactId } = await rig.person('Ann')
  for (const audienceId of [left, stays])
    await rig.contacts.subscribeContact(rig.us, { contactId, audienceId, source: 'form', wordingVersion: 'v1' })
  const email = rig.email(contactId, { audienceIds: [left, stays] })
  const audienceOf = async () =>
    (
      await rig.stage.query<{ audience_id: string }>(
        'select audience_id from campaigns.automation_emails where id = $1',
        [email.stepId],
      )
    )[0]!.audience_id
  await rig.fault('rate_limit')
  expect(await rig.send([email])).toMatchObject([{ outcome: 'waiting', reasons: ['put_back'] }])
  expect(await audienceOf()).toBe(left)
  await rig.fault('none')
  await rig.endCooldown()
  await rig.contacts.unsubscribeContact(rig.us, { contactId, audienceId: left })
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
  expect(await audienceOf()).toBe(stays)
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('a contact who is eligible under the last of ten candidates only gets the message under it', async () => {
  const others = await Promise.all(Array.from({ length: 9 }, () => rig.audience()))
  const { address, contactId } = await rig.person('Bea')
  const email = rig.email(contactId, { audienceIds: [...others, rig.audienceId] })
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted', reasons: [] }])
  expect(await rig.messagesTo(address)).toHaveLength(1)
  const nowhere = rig.email(contactId, { audienceIds: others })
  expect(await rig.send([nowhere])).toMatchObject([
    { outcome: 'skipped', reasons: ['consent_missing', 'not_subscribed'] },
  ])
})

test('after the answer that the deadline came first, nothing is handed over', async () => {
  const app = await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '1000' })
  const to = await rig.stage.client(AutomationEmails, app.rpcPort!)
  const { email, address } = await rig.person('Lea')
  const holder = new pg.Client({ connectionString: rig.stage.adminUrl })
  await holder.connect()
  await holder.query('begin; lock table contacts.memberships in access exclusive mode')
  const result = await answered(email, { to, timeoutMs: 2_000 })
  expect(result).toMatchObject({ outcome: 'waiting', reasons: ['deadline'] })
  // The verdicts arrive now. A worker that stops waits for its work.
  await holder.end()
  await app.stop()
  expect(await rig.handOffs(email.stepId)).toEqual([])
  expect(await rig.messagesTo(address)).toEqual([])
  await isSent({ address, email })
})
