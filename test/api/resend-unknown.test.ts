import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { insertHandOff } from '@lettergate/campaigns-delivery/test/message-rows'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

const console_ = newsletter.replace('/api/v1', '/console/api')
const product = console_.replace('newsletter', 'product')
const phrase = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

let made: ReadyStage
let gateway: GatewayStage
const browsers = new Map<string, Browser>()
beforeAll(async () => {
  made = await readyToSend()
  gateway = made.gateway
  for (const user of ['owner', 'editor', 'analyst']) browsers.set(user, await signIn(gateway, user))
})
afterAll(() => gateway.close())

type Run = Record<string, unknown> & { id: string }
const resend = (
  runId: string,
  body: object,
  { as = 'editor', key = randomUUID() as string, workspace = console_ } = {},
) =>
  browsers.get(as)!.call('POST', `${workspace}/campaign-runs/${runId}/resend-unknown`, {
    body,
    headers: key === '' ? {} : { 'idempotency-key': key },
  })
const runOf = async (id: string) =>
  (await gateway.call('GET', `${newsletter}/campaign-runs/${id}`, { as: 'analyst' })).json['campaign_run'] as Run

/** A completed run with two recipients and one call with an unknown outcome. */
async function unknownRun() {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    (await gateway.call('POST', `${newsletter}${path}`, { as: 'editor', body, headers })).json
  const audienceId = await audience(gateway)
  for (let people = 0; people < 2; people += 1) await subscriber(gateway, audienceId)
  const { campaign } = await post('/campaign-drafts', {
    name: 'Spring',
    audience_id: audienceId,
    sender_identity_id: made.senderId,
    content_version_id: made.contentVersionId,
  })
  const campaignId = (campaign as { id: string }).id
  const scheduled = await post(
    `/campaign-drafts/${campaignId}/schedule`,
    { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  const runId = (scheduled['campaign_run'] as Run).id
  const { stage } = gateway
  const messages = await stage.query<{ id: string; workspace_id: string }>(
    'select id, workspace_id from campaigns.run_recipients where run_id = $1',
    [runId],
  )
  await insertHandOff(stage, {
    workspaceId: messages[0]!.workspace_id,
    id: randomUUID(),
    originId: runId,
    messageIds: messages.map(({ id }) => id),
    connectionId: randomUUID(),
    state: 'unknown',
    minutesAgo: 60,
  })
  await stage.query('update campaigns.delivery_batches set done_at = now() where run_id = $1', [runId])
  await stage.query(
    `update campaigns.campaign_runs set state = 'completed', started_at = now(), completed_at = now() where id = $1`,
    [runId],
  )
  await stage.query(`update campaigns.campaigns set status = 'sent' where id = $1`, [campaignId])
  return { runId, campaignId }
}

test('a user at the console resends the unknown recipients of a run once for each key, and run, report and lists link both runs', async () => {
  const { runId, campaignId } = await unknownRun()
  const body = { confirmation: phrase, count: 2 }
  const first = await resend(runId, body, { key: 'once' })
  expect([first.status, first.json]).toEqual([
    200,
    {
      campaign_run: expect.objectContaining({
        campaign_id: campaignId,
        state: 'scheduled',
        included_count: 2,
        excluded_count: 0,
        sent_count: 0,
        resends_run_id: runId,
        resent_by_run_id: null,
      }),
    },
  ])
  const { id } = first.json['campaign_run'] as Run
  const again = await resend(runId, body, { key: 'once' })
  expect([again.status, again.json]).toEqual([200, first.json])
  expect((await resend(runId, { ...body, count: 1 }, { key: 'once' })).status).toBe(409)

  const links = { resends_run_id: null, resent_by_run_id: id }
  expect(await runOf(runId)).toMatchObject({ state: 'completed', ...links })
  const report = await gateway.call('GET', `${newsletter}/campaign-runs/${runId}/report`, { as: 'analyst' })
  expect(report.json).toMatchObject({ campaign_run: links, report: { unknown: 2, sent: 0 } })
  const read = async (path: string) => (await browsers.get('analyst')!.call('GET', `${console_}${path}`)).json
  const both = [
    { id, resends_run_id: runId, resent_by_run_id: null },
    { id: runId, ...links },
  ]
  expect((await read(`/campaign-runs?campaign_id=${campaignId}`))['campaign_runs']).toMatchObject(both)
  expect((await read(`/campaigns/${campaignId}`))['runs']).toMatchObject(both)

  const live = await resend(runId, body)
  expect([live.status, live.text.includes(id)]).toEqual([422, true])
  const unscheduled = await gateway.call('POST', `${newsletter}/campaign-runs/${id}/unschedule`, {
    as: 'editor',
    body: {},
  })
  expect([unscheduled.status, unscheduled.text.includes('It can be cancelled.')]).toEqual([422, true])
})

test('a wrong confirmation, count, key, role or run is refused with its name, and no run is created', async () => {
  const { runId, campaignId } = await unknownRun()
  const good = { confirmation: phrase, count: 2 }
  for (const [named, body] of [
    ['confirmation', { count: 2 }],
    ['confirmation', { ...good, confirmation: 'SEND UNKNOWN AGAIN' }],
    ['confirmation', { ...good, confirmation: phrase.toLowerCase() }],
    ['count', { confirmation: phrase }],
    ['count', { ...good, count: 0 }],
    ['count', { ...good, count: '2' }],
    ['count', { ...good, count: 1.5 }],
  ] as const) {
    const { status, text } = await resend(runId, body)
    expect({ body, status, named: text.includes(named) }).toEqual({ body, status: 422, named: true })
  }
  const other = await resend(runId, { ...good, count: 3 })
  expect([other.status, other.text.includes('is 2 now')]).toEqual([409, true])
  const keyless = await resend(runId, good, { key: '' })
  expect([keyless.status, keyless.text.includes('Idempotency-Key')]).toEqual([422, true])
  expect((await resend(runId, good, { as: 'analyst' })).status).toBe(403)
  for (const none of [randomUUID(), 'no-id']) expect((await resend(none, good)).status).toBe(404)
  expect((await resend(runId, good, { as: 'owner', workspace: product })).status).toBe(404)
  const runs = await gateway.stage.query('select 1 from campaigns.campaign_runs where campaign_id = $1', [campaignId])
  expect(runs).toHaveLength(1)
})
