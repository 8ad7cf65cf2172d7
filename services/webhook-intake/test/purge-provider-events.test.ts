import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { eventData, webhookStage, type WebhookStage } from './webhook-stage.ts'

let rig: WebhookStage
beforeAll(async () => {
  rig = await webhookStage()
})
afterAll(() => rig.close())

/** Events that arrived that many days ago, with ids of that time. */
const received = (connection: { id: string; workspaceId: string }, daysAgo: number, count: number) =>
  rig.stage.query(
    `insert into webhooks.provider_events (id, workspace_id, connection_id, provider_event_id, event, message_id, occurred_at, received_at, body_bytes, body_sha256)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text || at::text), 1, 3) || '8' || substr(md5(at::text || n::text), 1, 15))::uuid,
            $1, $2, 'day ' || $3 || ' number ' || n, 'delivered', null, at, at, 1, sha256('x')
       from generate_series(1, $4::int) n, (select now() - $3::int * interval '1 day' as at) moment`,
    [connection.workspaceId, connection.id, daysAgo, count],
  )
const kept = async () =>
  (
    await rig.stage.query<{ told: string }>(
      `select substring(provider_event_id from 'day [0-9]+') || ': ' || count(*) as told from webhooks.provider_events
        where provider_event_id like 'day %' group by substring(provider_event_id from 'day [0-9]+') order by 1`,
    )
  ).map(({ told }) => told)
const consumed = (name: string, hoursAgo: number) =>
  rig.stage.query(
    `insert into webhooks.consumed_tokens (token_sha256, provider_event_id, consumed_at) values ($1, $2, now() - $3 * interval '1 hour')`,
    [createHash('sha256').update(name).digest(), name, hoursAgo],
  )
const tokens = async () =>
  (
    await rig.stage.query<{ name: string }>(
      `select provider_event_id as name from webhooks.consumed_tokens where provider_event_id like 'token %' order by 1`,
    )
  ).map(({ name }) => name)

test('older provider events, and tokens older than a valid signature, are deleted in every workspace; newer ones are kept', async () => {
  const [one, other] = [await rig.connection(), await rig.connection()]
  await received(one, 91, 2_500)
  await received(one, 89, 3)
  await received(other, 120, 1_200)
  await received(other, 9, 2)
  await consumed('token of 25 hours ago', 25)
  await consumed('token of 10 hours ago', 10)
  const event = eventData()
  const first = await rig.deliver(one.id, event)

  await rig.replica()
  await until(async () => (await kept()).join() === ['day 89: 3', 'day 9: 2'].join())
  await until(async () => (await tokens()).join() === 'token of 10 hours ago')

  const again = await rig.deliver(one.id, event)
  expect(again.json).toEqual({ status: 'duplicate', id: first.json.id })
  const [young] = await rig.stage.query<{ id: string }>(
    `select id from webhooks.provider_events where workspace_id = $1 and provider_event_id like 'day 89 %'`,
    [one.workspaceId],
  )
  const replayed = await rig.intake.replayProviderEvent(rig.stage.caller({ workspaceId: one.workspaceId }), {
    eventId: young!.id,
  })
  expect(replayed.providerEvent!.id).toBe(young!.id)
})

test('the setting for the age of events is never shorter than the retries of the provider and the stream', async () => {
  await rig.replica({ PROVIDER_EVENT_KEEP_DAYS: '8' })
  await until(async () => (await kept()).length === 0)
  await expect(rig.replica({ PROVIDER_EVENT_KEEP_DAYS: '7' })).rejects.toThrow(/PROVIDER_EVENT_KEEP_DAYS/)
})
