import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { signIn } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

interface Notice {
  webhookId: string
  type: string
  data: { id: string; code: string; severity: string; runbook: string; acknowledged_by: string | null }
}

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const received: Notice[] = []
let status = 204
/** A receiver outside of the service, which verifies each signature with the library of Standard Webhooks. */
const server = createServer((req, res) => {
  void text(req).then((body) => {
    const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
    const notice = new Webhook(secret).verify(body, headers) as Omit<Notice, 'webhookId'>
    received.push({ ...notice, webhookId: headers['webhook-id']! })
    res.writeHead(status).end()
  })
})

let gateway: GatewayStage
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  gateway = await gatewayStage({
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    ALERT_WEBHOOK_SECRET: secret,
    ALERT_WEBHOOK_ALLOW_PRIVATE: 'true',
  })
})
afterAll(async () => {
  await gateway.close()
  server.closeAllConnections()
  server.close()
})

const raise = (about: string, more: { id?: string; lastsSeconds?: number } = {}) => {
  const { id = newId(), ...init } = more
  const alert = { code: 'run_overdue', severity: 'warning', summary: 'Look.', detail: {}, about, ...init }
  return gateway.stage.publish('campaigns-delivery', AlertRaisedSchema, alert, { id })
}
const noticesOf = (alertId: string) => received.filter(({ data }) => data.id === alertId)
const typesOf = (alertId: string) => noticesOf(alertId).map(({ type }) => type)

test('an alert is posted once, signed, with its runbook, and again when an operator acknowledges it', async () => {
  const id = await raise('one')
  await raise('one')
  const [notice] = await until(() => noticesOf(id).length > 0 && noticesOf(id))
  expect(notice).toMatchObject({
    type: 'alert.raised',
    data: {
      id,
      code: 'run_overdue',
      severity: 'warning',
      runbook: 'docs/runbooks/run_overdue.md',
      acknowledged_by: null,
    },
  })
  const administrator = await signIn(gateway, 'platform')
  await administrator.call('POST', `/console/api/platform/alerts/${id}/acknowledge`)
  await until(() => typesOf(id).includes('alert.acknowledged'))
  expect(typesOf(id)).toEqual(['alert.raised', 'alert.acknowledged'])
  expect(noticesOf(id)[1]!.data.acknowledged_by).toBe('platform')
})

test('an alert that ends by itself is posted as acknowledged', async () => {
  const id = await raise('ends', { lastsSeconds: 1 })
  await until(() => typesOf(id).includes('alert.acknowledged'))
  expect(noticesOf(id).at(-1)!.data.acknowledged_by).toBe('system:end-alerts')
})

test('a receiver that fails gets the same notice again', async () => {
  status = 503
  const id = await raise('fails')
  await until(() => noticesOf(id).length > 0)
  status = 204
  const found = await until(() => noticesOf(id).length > 1 && noticesOf(id))
  expect(new Set(found.map(({ webhookId }) => webhookId)).size).toBe(1)
  await until(
    async () =>
      (
        await gateway.stage.query(
          'select from identity.alert_notices where alert_id = $1 and delivered_at is not null and next_attempt_at is null',
          [id],
        )
      ).length === 1,
  )
})

test.each([
  [{ ALERT_WEBHOOK_URL: 'http://hooks.example.com/' }, /ALERT_WEBHOOK_URL must begin with https/],
  [
    { ALERT_WEBHOOK_URL: 'https://hooks.example.com/', ALERT_WEBHOOK_SECRET: 'short' },
    /ALERT_WEBHOOK_SECRET must be whsec_/,
  ],
])('a gateway does not start with %j', (wrong, message) => {
  const needed = Object.fromEntries(
    ['DATABASE_URL', 'NATS_URL', 'BASE_URL', 'WALLET_BASE_URL'].map((name) => [name, 'http://127.0.0.1:9']),
  )
  const targets = [
    'CONTACTS_CONSENT',
    'SENDING_INFRA',
    'CAMPAIGNS_DELIVERY',
    'IMPORTS',
    'AUTOMATIONS',
    'WEBHOOK_INTAKE',
  ]
  const env = {
    ...needed,
    WALLET_CLIENT_ID: 'x',
    WALLET_CLIENT_SECRET: 'x',
    ...Object.fromEntries(targets.map((name) => [`${name}_TARGET`, '127.0.0.1:9'])),
    ...wrong,
  }
  expect(() => loadConfig(env)).toThrow(message)
})
