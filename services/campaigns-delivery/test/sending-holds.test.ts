import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
let identity: Client<typeof Identity>
let audiences = 0

beforeAll(async () => {
  rig = await openDelivery()
  identity = await rig.stage.client(Identity, Number(rig.env.IDENTITY_TARGET.split(':').at(-1)))
  // small calls with slow answers make the run last
  await rig.worker({ DELIVERY_CONCURRENCY: '1' })
})
afterEach(async () => {
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
})
afterAll(() => rig.close())

/** Starts a run to `count` recipients with one recipient in each call and a slow provider. */
async function sendingRun(count: number, answerMs = 2_000) {
  audiences += 1
  const audience = await rig.audience()
  await Promise.all(Array.from({ length: count }, (_, n) => rig.subscriber(audience, `h${n}-${audiences}@example.org`)))
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: 3_600_000 })
  await rig.stage.query('update campaigns.delivery_batches set is_singles = true where run_id = $1', [run.id])
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: answerMs })
  await rig.begin(run.id)
  await until(async () => (await reportOf(run.id)).sent > 0, { what: 'the run to be sent' })
  return { runId: run.id, campaignId }
}
const reportOf = async (runId: string) => (await rig.report(runId)).report
const heldBy = (runId: string, by: string) =>
  until(async () => (await reportOf(runId)).heldBy === by, { what: `the run to be held by ${by}` })
const completed = (runId: string) =>
  until(async () => (await rig.report(runId)).run.state === 'completed', { everyMs: 100, what: 'the run to complete' })

/** Counts the messages sent during a moment in which none may be sent. */
async function nothingGoesOut(runId: string): Promise<number> {
  const calls = async () => ((await rig.sim('GET', '/stats')) as unknown as { message_calls: number }).message_calls
  const before = await calls()
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(await calls()).toBe(before)
  expect((await rig.report(runId)).run.state).toBe('sending')
  return (await reportOf(runId)).sent
}

test('the switch of the console holds a run that is being sent, and it continues where it stopped', async () => {
  const { runId } = await sendingRun(24)
  const { workspace } = await identity.turnWorkspaceSendingOff(rig.us, {})
  expect(workspace).toMatchObject({ id: rig.workspaceId, productionSendingEnabled: false })
  await heldBy(runId, 'workspace_sending')
  const sent = await nothingGoesOut(runId)
  expect(sent).toBeLessThan(24)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.setWorkspace({})
  await completed(runId)
  expect(await reportOf(runId)).toMatchObject({ sent: 24, unknown: 0, failed: 0 })
})

/** Five seconds is the promise; a machine with other load may need longer to commit an intent that was judged in time. */
const closedWithinSeconds = 10

test.each([
  ['and every worker hears of it', true],
  ['and the announcement is lost', false],
])('a gate that is closed during a run, %s, is followed by no hand-off after some seconds', async (_, isAnnounced) => {
  const { runId } = await sendingRun(60)
  if (isAnnounced) await rig.setGate(false)
  else
    await rig.stage.query(`update identity.platform_gates set stored = false where name = 'production_sending_enabled'`)
  await heldBy(runId, 'production_sending_enabled')
  const sent = await nothingGoesOut(runId)
  expect(sent).toBeLessThan(60)
  const [last] = await rig.stage.query<{ seconds: number }>(
    `select extract(epoch from max(h.claimed_at) - max(c.closed_at))::float8 as seconds
       from campaigns.hand_offs h, identity.gate_closings c
      where h.origin_id = $1 and c.name = 'production_sending_enabled' and c.opened_at is null`,
    [runId],
  )
  expect(last!.seconds).toBeLessThan(closedWithinSeconds)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.setGate(true)
  await completed(runId)
  expect(await reportOf(runId)).toMatchObject({ sent: 60, unknown: 0, failed: 0 })
})

test('a domain that fails its check holds the run, which continues by itself after a successful check', async () => {
  const { runId } = await sendingRun(40)
  await rig.sim('PUT', '/dns/mail.acme.test', { records: [{ type: 'TXT', name: '@', value: 'v=spf1 -all' }] })
  const look = () =>
    rig.stage.query('update sending.sending_domains set recheck_at = now() where id = $1', [rig.domainId])
  await look()
  await heldBy(runId, 'sending_domain')
  const sent = await nothingGoesOut(runId)
  expect(sent).toBeLessThan(40)
  const alerts = await rig.stage.query(`select 1 from identity.alerts where code = 'sending_domain_regressed'`)
  expect(alerts).toHaveLength(1)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await rig.sim('PUT', '/domains/mail.acme.test', { dns: 'ok' })
  await look()
  await completed(runId)
  expect(await reportOf(runId)).toMatchObject({ sent: 40, unknown: 0, failed: 0 })
})

test('a connection is kept until its runs are over, and the error names the campaign', async () => {
  const ask = (caller = rig.us) => rig.campaigns.requireConnectionUnused(caller, { connectionId: rig.connectionId })
  await ask()
  const { runId, campaignId } = await sendingRun(12, 5_000)
  const refused = await ask().catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'connection_in_use' })
  for (const word of ['November', campaignId]) expect((refused as Error).message).toContain(word)
  const otherWorkspace = rig.stage.caller({ workspaceId: '01890000-0000-7000-8000-000000000000' })
  await ask(otherWorkspace)
  await expect(rig.campaigns.requireSenderUnused(rig.us, { senderId: rig.senderId })).rejects.toMatchObject({
    reason: 'sender_in_use',
  })
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 0 })
  await completed(runId)
  await ask()
  for (const connectionId of ['x', '01890000-0000-7000-8000-000000000000'])
    await rig.campaigns.requireConnectionUnused(rig.us, { connectionId })
})
