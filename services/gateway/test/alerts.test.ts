// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { contact } from './people-and-senders.ts'

const alerts = '/console/api/platform/alerts'
const auditLog = '/console/api/platform/audit-log'

let gateway: GatewayStage
let owner: Browser
let administrator: Browser
let workspaceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  owner = await signIn(gateway, 'owner')
  administrator = await signIn(gateway, 'platform')
  const [found] = await gateway.stage.query<{ id: string }>(`select id from identity.workspaces where slug = 'product'`)
  workspaceId = found!.id
})
afterAll(() => gateway.close())

interface Alert {
  id: string
  code: string
  times: number
  summary: string
  detail: object
  raised_at: string
  last_raised_at: string
  acknowledged_by: string | null
  acknowledged_at: string | null
}

const ask = (query: Record<string, string>) =>
  administrator.call('GET', `${alerts}?${new URLSearchParams(query).toString()}`)
const alertsOf = async (query: Record<string, string>) => (await ask(query)).json['alerts'] as Alert[]
const acknowledge = (id: string, as = administrator) => as.call('POST', `${alerts}/${id}/acknowledge`)

interface Raised {
  severity?: string
  summary?: string
  detail?: Record<string, string | number>
  about?: string
  lastsSeconds?: number
}

const raise = (code: string, { severity = 'warning', summary = 'Look.', ...optional }: Raised = {}, id = newId()) =>
  gateway.stage.publish(
    'campaigns-delivery',
    AlertRaisedSchema,
    { code, severity, summary, detail: {}, ...optional },
    { workspaceId, id },
  )

/** Waits until this number of alerts of a code is counted, and returns them. */
const counted = (code: string, times: number) =>
  until(async () => {
    const found = await alertsOf({ code })
    return found.reduce((sum, alert) => sum + alert.times, 0) === times ? found : undefined
  })

const newCode = () => `code_${randomUUID().slice(0, 8)}`

describe('alerts', () => {
  test('show a platform suppression made through the API, with its runbook', async () => {
    const contactId = await contact(gateway)
    const { json } = await gateway.call('POST', `${newsletter}/contacts/${contactId}/suppress`, {
      as: 'owner',
      body: { scope: 'platform', reason: 'legal' },
    })
    const [alert, ...others] = await counted('platform_suppression_added', 1)
    expect(others).toEqual([])
    expect(alert).toEqual({
      id: expect.any(String),
      code: 'platform_suppression_added',
      severity: 'warning',
      summary: 'An address was suppressed for every organization of the platform.',
      detail: { suppression_id: json['suppression_id'], contact_id: contactId, reason: 'legal' },
      organization: 'acme',
      workspace: 'newsletter',
      raised_at: expect.any(String),
      last_raised_at: alert!.raised_at,
      times: 1,
      runbook: 'docs/runbooks/platform_suppression_added.md',
      acknowledged_by: null,
      acknowledged_at: null,
    })
  })

  test('raised again before they are acknowledged are counted on the existing one', async () => {
    const code = newCode()
    await raise(code, { detail: { connection: 'a', key: 'b' } })
    await raise(code, { detail: { key: 'b', connection: 'a' }, severity: 'critical', summary: 'Look now.' })
    await raise(code, { detail: { connection: 'c', key: 'b' } })
    const found = await counted(code, 3)
    expect(found.map(({ times }) => times)).toEqual([1, 2])
    const [, twice] = found
    expect(twice).toMatchObject({ severity: 'critical', summary: 'Look now.', detail: { connection: 'a', key: 'b' } })
    expect(Date.parse(twice!.last_raised_at)).toBeGreaterThanOrEqual(Date.parse(twice!.raised_at))
  })

  test('about the same subject are one alert with the last detail; about another subject they are separate', async () => {
    const code = newCode()
    for (const event of [1, 2, 3]) await raise(code, { about: 'on-a-fact', detail: { event } })
    await raise(code, { about: 'on-another', detail: { event: 3 } })
    const found = await counted(code, 4)
    expect(found.map(({ times, detail }) => [times, detail])).toEqual([
      [1, { event: 3 }],
      [3, { event: 3 }],
    ])
  })

  test('are counted once when their event is delivered repeatedly', async () => {
    const code = newCode()
    const id = newId()
    await raise(code, {}, id)
    await raise(code, {}, id)
    await raise(code, { detail: { last: 1 } })
    const found = await counted(code, 2)
    expect(found.map(({ times }) => times)).toEqual([1, 1])
  })

  test('are filtered by code, severity, organization, workspace and acknowledgement', async () => {
    const code = newCode()
    await raise(code, { severity: 'critical', detail: { a: 1 } })
    await raise(code, { detail: { a: 2 } })
    const [second, first] = await counted(code, 2)
    expect(await alertsOf({ code, severity: 'critical' })).toEqual([first])
    expect(await alertsOf({ code, organization: 'acme', workspace: 'product' })).toEqual([second, first])
    expect(await alertsOf({ code, organization: 'acme', workspace: 'newsletter' })).toEqual([])
    expect(await alertsOf({ code, organization: 'globex' })).toEqual([])
    await acknowledge(first!.id)
    expect(await alertsOf({ code, acknowledged: 'false' })).toEqual([second])
    expect(await alertsOf({ code, acknowledged: 'true' })).toMatchObject([{ id: first!.id }])
    expect((await ask({ severity: 'loud' })).status).toBe(422)
    expect((await ask({ acknowledged: 'maybe' })).status).toBe(422)
    expect((await ask({ workspace: 'product' })).status).toBe(422)
  })

  test('come in pages, newest first', async () => {
    const code = newCode()
    for (const a of [1, 2, 3]) await raise(code, { detail: { a } })
    const whole = await counted(code, 3)
    const first = (await ask({ code, limit: '2' })).json
    const second = (await ask({ code, limit: '2', cursor: first['next_cursor'] as string })).json
    expect([...(first['alerts'] as Alert[]), ...(second['alerts'] as Alert[])]).toEqual(whole)
    expect(second['next_cursor']).toBeNull()
  })
})

describe('acknowledging an alert', () => {
  test('stores the first user who acknowledged it and the time, and is audited once', async () => {
    const code = newCode()
    await raise(code, { detail: { run: 1 } })
    const [{ id } = { id: '' }] = await counted(code, 1)
    const { status, json } = await acknowledge(id)
    expect(status).toBe(200)
    const alert = json['alert'] as Alert
    expect(alert).toMatchObject({ id, code, acknowledged_by: 'platform', acknowledged_at: expect.any(String) })
    for (const again of [await acknowledge(id, owner), await acknowledge(id)])
      expect([again.status, again.json]).toEqual([200, { alert }])
    expect(await alertsOf({ code })).toEqual([alert])

    const audited = `${auditLog}?action=alert_acknowledged&subject_id=${id}`
    const entries = await until(async () => {
      const found = (await administrator.call('GET', audited)).json['entries'] as object[]
      return found.length > 0 ? found : undefined
    })
    expect(entries).toMatchObject([
      {
        actor: 'platform',
        subject_type: 'alert',
        organization: 'acme',
        workspace: 'product',
        detail: { code, times: 1 },
      },
    ])
  })

  test('lets the same problem raise a new alert', async () => {
    const code = newCode()
    await raise(code)
    const [first] = await counted(code, 1)
    await acknowledge(first!.id)
    await raise(code)
    await raise(code)
    const [again, before] = await counted(code, 3)
    expect([again!.times, again!.acknowledged_by]).toEqual([2, null])
    expect([before!.times, before!.acknowledged_by]).toEqual([1, 'platform'])
  })

  test('by many users at once stores one of them', async () => {
    const code = newCode()
    await raise(code)
    const [{ id } = { id: '' }] = await counted(code, 1)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => acknowledge(id, n % 2 ? owner : administrator)),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('of a missing alert or an invalid id is 404', async () => {
    expect((await acknowledge(randomUUID())).status).toBe(404)
    expect((await acknowledge('no-id')).status).toBe(404)
  })

  test('and listing are refused for users without a platform role, whatever their role in a workspace', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const caller = gateway.stage.caller({ workspaceId })
    await expect(identity.listAlerts(caller, {})).rejects.toMatchObject({ code: 'permission_denied' })
    const asked = identity.acknowledgeAlert(caller, { alertId: randomUUID() })
    await expect(asked).rejects.toMatchObject({ code: 'permission_denied' })
  })
})

describe('an alert that ends by itself', () => {
  /** Imitates that the time passed in which the alert had to be raised again. */
  const elapse = (code: string) =>
    gateway.stage.query(
      `update identity.alerts set ends_at = ends_at - interval '1 hour' where code = $1 and acknowledged_at is null`,
      [code],
    )
  const ended = (id: string) =>
    until(async () => (await alertsOf({ acknowledged: 'true' })).find((alert) => alert.id === id), {
      what: 'the end of the alert',
    })

  test('is acknowledged by the job when it was not raised again, is audited, and the same problem raises a new one', async () => {
    const [code, lasting] = [newCode(), newCode()]
    await raise(lasting)
    await raise(code, { about: 'a', lastsSeconds: 1_800 })
    const [{ id } = { id: '' }] = await counted(code, 1)
    await elapse(code)
    expect(await ended(id)).toMatchObject({ acknowledged_by: 'system:end-alerts', times: 1 })
    const audited = `${auditLog}?action=alert_acknowledged&subject_id=${id}`
    await until(
      async () => ((await administrator.call('GET', audited)).json['entries'] as { actor: string }[])[0]?.actor,
    )
    await raise(code, { about: 'a', lastsSeconds: 1_800 })
    expect((await counted(code, 2)).map((alert) => alert.acknowledged_by)).toEqual([null, 'system:end-alerts'])
    expect(await alertsOf({ code: lasting })).toMatchObject([{ acknowledged_by: null }])
  })

  test('ends when its service says that the condition is over, and not by the end of an earlier one', async () => {
    const [code, other] = [newCode(), newCode()]
    const over = (time: Date, about = 'a') =>
      gateway.stage.publish(
        'campaigns-delivery',
        AlertRaisedSchema,
        { code, about, isOver: true },
        { workspaceId, time },
      )
    const before = new Date(Date.now() - 60_000)
    await raise(code, { about: 'a' })
    const [{ id } = { id: '' }] = await counted(code, 1)
    await over(before)
    await over(new Date(), 'b')
    await raise(code, { about: 'b' })
    await raise(other, { about: 'a' })
    await counted(code, 2)
    await counted(other, 1)
    const openEnds = await gateway.stage.query('select ends_at from identity.alerts where code = any($1)', [
      [code, other],
    ])
    expect(openEnds).toEqual([{ ends_at: null }, { ends_at: null }, { ends_at: null }])
    await over(new Date(Date.now() + 1_000))
    expect(await ended(id)).toMatchObject({ code, acknowledged_by: 'system:end-alerts' })
    expect(await alertsOf({ acknowledged: 'false', code: other })).toHaveLength(1)
  })

  test('lasts longer when it is raised again', async () => {
    const [code, other] = [newCode(), newCode()]
    for (const one of [code, other]) {
      await raise(one, { about: 'a', lastsSeconds: 3_660 })
      await counted(one, 1)
      await elapse(one)
    }
    await raise(code, { about: 'a', lastsSeconds: 7_200 })
    const [alert] = await counted(code, 2)
    await elapse(code)
    await elapse(other)
    await ended((await alertsOf({ code: other }))[0]!.id)
    expect(await alertsOf({ code })).toEqual([alert])
  })
})

describe.each(['contacts', 'identity'])('an outbox that publishes nothing: %s', (schema) => {
  const about = schema === 'contacts' ? 'contacts-consent' : 'gateway'
  const stuck = async (acknowledged: string) =>
    (await alertsOf({ code: 'outbox_stuck', acknowledged })).find(
      ({ detail }) => 'service' in detail && detail.service === about,
    )

  test('raises an alert although it publishes no alert, and the alert ends when its events are published', async () => {
    await gateway.stage.query(
      `create function public.hold_${schema}() returns trigger language plpgsql as 'begin return null; end';
       create trigger hold before delete on ${schema}.outbox_pending for each row execute function public.hold_${schema}();`,
    )
    await owner.call('PUT', '/console/api/platform/gates/test_sends_enabled', { body: { enabled: true } })
    const contactId = await contact(gateway)
    await gateway.call('POST', `${newsletter}/contacts/${contactId}/suppress`, {
      as: 'owner',
      body: { scope: 'workspace', reason: 'legal' },
    })
    const waiting = await until(async () => {
      const rows = await gateway.stage.query<{ id: string }>(
        `update ${schema}.outbox_pending set waits_since = now() - interval '10 minutes' returning id`,
      )
      return rows.length > 0 && rows.map(({ id }) => id)
    })
    expect(await until(() => stuck('false'))).toMatchObject({
      severity: 'critical',
      detail: { service: about },
      runbook: 'docs/runbooks/outbox_stuck.md',
    })
    await gateway.stage.query(`drop trigger hold on ${schema}.outbox_pending`)
    expect(await until(() => stuck('true'))).toMatchObject({ acknowledged_by: 'system:end-alerts' })
    const left = await gateway.stage.query(`select id from ${schema}.outbox_pending where id = any($1)`, [waiting])
    expect(left).toEqual([])
  })
})

test('alerts from before the counting are listed separately', async () => {
  const code = newCode()
  for (const id of [newId(), newId()])
    await gateway.stage.query(
      `insert into identity.alerts (id, workspace_id, code, severity, summary, detail, raised_at) values ($1, null, $2, 'warning', 'Old.', '{}', now())`,
      [id, code],
    )
  const found = await alertsOf({ code })
  expect(found.map(({ times, raised_at, last_raised_at }) => [times, raised_at === last_raised_at])).toEqual([
    [1, true],
    [1, true],
  ])
})

test('metrics have the number of open alerts by code, from which Prometheus raises them', async () => {
  const code = newCode()
  const open = async () => {
    const { values } = await gateway.service.metrics.getSingleMetric('lettergate_alerts_open')!.get()
    return values
      .filter(({ labels }) => labels['code'] === code)
      .map(({ labels, value }) => [labels['severity'], value])
  }
  expect(await open()).toEqual([])
  for (const about of ['one', 'two']) await raise(code, { severity: 'critical', about })
  const [first, second] = await counted(code, 2)
  expect(await open()).toEqual([['critical', 2]])
  await acknowledge(first!.id)
  expect(await open()).toEqual([['critical', 1]])
  await acknowledge(second!.id)
  expect(await open()).toEqual([])
})
