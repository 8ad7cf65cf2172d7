import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { reportsStage, type ReportsStage } from './reports-services.ts'

let gateway: ReportsStage
let analyst: Browser
let outsider: Browser
beforeAll(async () => {
  gateway = await reportsStage()
  analyst = await signIn(gateway, 'analyst')
  outsider = await signIn(gateway, 'outsider')
})
afterAll(() => gateway.close())

const console_ = newsletter.replace('/api/v1', '/console/api')
const globex = '/console/api/organizations/globex/workspaces/main'

const reportOf = async (runId: string) =>
  (await gateway.call('GET', `${newsletter}/campaign-runs/${runId}/report`, { as: 'analyst' })).json['report'] as {
    events: Record<string, number>
    delivered: number
  }

/** A run with one message that had a temporary failure; returns the event of the failure. */
async function runWithFailure() {
  const { runId, messageIds } = await gateway.accepted(['anna@example.org'])
  const soft = await gateway.sendEvent(messageIds[0]!, 'failed', { severity: 'temporary', reason: 'greylisted' })
  await until(async () => (await reportOf(runId)).events['failed'] === 1)
  return { runId, messageIds, soft }
}

describe('provider events', () => {
  const replay = (id: string, as: string, workspace = newsletter) =>
    gateway.call('POST', `${workspace}/provider-events/${id}/replay`, { as })

  test('are replayed by users who may pause delivery, and a repeat counts nothing twice', async () => {
    const { runId, soft } = await runWithFailure()
    const before = await reportOf(runId)
    for (let time = 0; time < 2; time += 1) {
      const { status, json } = await replay(soft, 'admin')
      expect([status, json]).toEqual([
        200,
        { provider_event: { id: soft, processing_state: 'processed', event_type: 'failed' } },
      ])
    }
    // Events that arrive after the replays are consumed after them.
    const later = await gateway.accepted(['ben@example.org'])
    await gateway.sendEvent(later.messageIds[0]!, 'delivered')
    await until(async () => (await reportOf(later.runId)).delivered === 1)
    await until(async () => (await gateway.stage.query(`select from webhooks.outbox_pending`)).length === 0)
    expect(await reportOf(runId)).toEqual(before)
  })

  test('are 403 for an editor, and 404 for another workspace or an unknown id', async () => {
    const { soft } = await runWithFailure()
    expect((await replay(soft, 'editor')).status).toBe(403)
    expect(
      (await replay(soft, 'outsider', newsletter.replace('acme', 'globex').replace('newsletter', 'main'))).status,
    ).toBe(404)
    expect((await replay(soft, 'owner', newsletter.replace('newsletter', 'product'))).status).toBe(404)
    expect((await replay(randomUUID(), 'admin')).status).toBe(404)
    expect((await replay('no-id', 'admin')).status).toBe(404)
  })

  test('are shown as they arrived', async () => {
    const { soft, messageIds } = await runWithFailure()
    const { json } = await analyst.call('GET', `${console_}/provider-events?event=failed&limit=1`)
    expect(json['provider_events']).toEqual([
      expect.objectContaining({
        id: soft,
        event: 'failed',
        severity: 'temporary',
        message_id: messageIds[0],
        replayed_at: null,
      }),
    ])
    expect((await outsider.call('GET', `${globex}/provider-events`)).json['provider_events']).toEqual([])
    expect((await analyst.call('GET', `${console_}/provider-events?event=bounced`)).status).toBe(422)
  })
})
