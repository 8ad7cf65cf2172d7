import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

const gates = '/console/api/platform/gates'

let gateway: GatewayStage
let owner: Browser
let administrator: Browser
beforeAll(async () => {
  gateway = await gatewayStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  owner = await signIn(gateway, 'owner')
  administrator = await signIn(gateway, 'platform')
})
afterAll(() => gateway.close())

const named = (json: Record<string, unknown>, name: string) =>
  (json['gates'] as { name: string }[]).find((gate) => gate.name === name)

describe('ListPlatformGates', () => {
  test('shows ceiling, stored switch and effective value; production and tests are closed to begin with', async () => {
    const { status, json } = await administrator.call('GET', gates)
    expect(status).toBe(200)
    const untouched = { updated_by: null, updated_at: null }
    expect(json).toEqual({
      gates: [
        { name: 'rate_limit_enabled', ceiling: null, stored: true, effective: true, ...untouched },
        { name: 'automation_enabled', ceiling: null, stored: true, effective: true, ...untouched },
        { name: 'production_sending_enabled', ceiling: true, stored: false, effective: false, ...untouched },
        { name: 'test_sends_enabled', ceiling: false, stored: false, effective: false, ...untouched },
        { name: 'synthetic_rehearsals_enabled', ceiling: false, stored: false, effective: false, ...untouched },
      ],
    })
  })

  test('is only for browser sessions of users with a platform role', async () => {
    expect((await gateway.call('GET', gates)).status).toBe(401)
    expect((await gateway.call('GET', gates, { as: 'owner' })).status).toBe(401)
    expect(
      (await gateway.call('GET', gates, { headers: { 'x-api-key': 'test-service-key', 'x-user-id': 'owner' } })).status,
    ).toBe(401)
    expect((await gateway.call('GET', gates, { as: 'owner', headers: { cookie: owner.cookie } })).status).toBe(401)
    expect((await (await signIn(gateway, 'wsowner')).call('GET', gates)).status).toBe(403)
    expect((await owner.call('GET', gates)).status).toBe(200)
  })
})

describe('SetPlatformGate', () => {
  test('opens a gate at once, is announced to every service, and is in the audit log', async () => {
    const { status, json } = await owner.call('PUT', `${gates}/production_sending_enabled`, { body: { enabled: true } })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      gate: { name: 'production_sending_enabled', stored: true, effective: true, updated_by: 'owner' },
    })
    await until(async () => (await gateway.call('GET', '/healthz')).json['production_sending_enabled'] === true)
    expect(await gateway.stage.query(`select event from identity.outbox where event = 'gate_changed'`)).toHaveLength(1)
    const [entry] = await until(async () => {
      const found = await gateway.stage.query<Record<string, unknown>>(
        `select * from identity.audit_log where action = 'platform_gate_set'`,
      )
      return found.length > 0 ? found : undefined
    })
    expect(entry).toMatchObject({
      actor: 'owner',
      subject_id: 'production_sending_enabled',
      workspace_id: null,
      detail: { stored: true, effective: true },
    })
    const metrics = await (await fetch(`http://127.0.0.1:${gateway.healthPort}/metrics`)).text()
    expect(metrics).toMatch(/lettergate_gate_open\{gate="production_sending_enabled"[^}]*\} 1/)
  })

  test('cannot lift the ceiling of the environment', async () => {
    const { json } = await owner.call('PUT', `${gates}/test_sends_enabled`, { body: { enabled: true } })
    expect(json).toMatchObject({ gate: { ceiling: false, stored: true, effective: false } })
    expect(named((await owner.call('GET', gates)).json, 'test_sends_enabled')).toMatchObject({ effective: false })
  })

  test('needs the CSRF token, an existing gate, and a valid body', async () => {
    const path = `${gates}/automation_enabled`
    expect(
      (await gateway.call('PUT', path, { headers: { cookie: owner.cookie }, body: { enabled: false } })).status,
    ).toBe(403)
    expect(
      (
        await owner.call('PUT', path, {
          headers: { 'x-csrf-token': administrator.csrfToken },
          body: { enabled: false },
        })
      ).status,
    ).toBe(403)
    expect((await owner.call('PUT', `${gates}/no_such_gate`, { body: { enabled: true } })).status).toBe(404)
    const wrong = await owner.call('PUT', path, { body: { enabled: 'yes' } })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('enabled must be true or false')
    expect(named((await owner.call('GET', gates)).json, 'automation_enabled')).toMatchObject({ stored: true })
  })
})

describe('GetGates', () => {
  test('answers when the named switch was off, newest first', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const name = 'automation_enabled'
    const closingsOf = async (asked: string) =>
      (await identity.getGates(gateway.stage.caller({ workspaceId: null }), { closingsOf: asked })).closings
    expect(await closingsOf(name)).toEqual([])
    for (const enabled of [false, false, true, false, true, false])
      expect((await administrator.call('PUT', `${gates}/${name}`, { body: { enabled } })).status).toBe(200)
    const [last, second, first, ...others] = await closingsOf(name)
    expect(others).toEqual([])
    expect([first?.openedAt, second?.openedAt, last?.openedAt]).toEqual([
      expect.anything(),
      expect.anything(),
      undefined,
    ])
    expect(timestampMs(second!.closedAt!)).toBeGreaterThanOrEqual(timestampMs(first!.openedAt!))
    await gateway.stage.query(
      `update identity.gate_closings set closed_at = closed_at - interval '9 days', opened_at = opened_at - interval '9 days'
        where name = $1 and opened_at is not null`,
      [name],
    )
    expect(await closingsOf(name)).toEqual([last])
    expect(await closingsOf('')).toEqual([])
    expect((await administrator.call('PUT', `${gates}/${name}`, { body: { enabled: true } })).status).toBe(200)
  })

  test('answers other services with the effective values, the ceilings and the switches', async () => {
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const { effective, ceilings, switches } = await identity.getGates(gateway.stage.caller({ workspaceId: null }), {})
    expect(Object.keys(effective).sort()).toEqual([
      'automation_enabled',
      'production_sending_enabled',
      'rate_limit_enabled',
      'synthetic_rehearsals_enabled',
      'test_sends_enabled',
    ])
    expect(effective['test_sends_enabled']).toBe(false)
    expect(switches['test_sends_enabled']).toBe(true) // switched on above, but closed by the ceiling
    expect(Object.keys(switches).sort()).toEqual(Object.keys(effective).sort())
    expect(ceilings).toEqual({
      production_sending_enabled: true,
      test_sends_enabled: false,
      synthetic_rehearsals_enabled: false,
    })
  })
})

describe('the effective value', () => {
  interface Shown {
    name: string
    ceiling: boolean | null
    stored: boolean
    effective: boolean
    updated_by: string
    updated_at: string
  }
  let opposite: Awaited<ReturnType<GatewayStage['replica']>>
  beforeAll(async () => {
    const ceilings = { TEST_SENDS_ENABLED: 'true', SYNTHETIC_REHEARSALS_ENABLED: 'true' }
    opposite = await gateway.replica({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false', ...ceilings })
  })

  test.each([
    'rate_limit_enabled',
    'automation_enabled',
    'production_sending_enabled',
    'test_sends_enabled',
    'synthetic_rehearsals_enabled',
  ])(
    'of %s is its ceiling AND its switch, in both places of both, with the user and the time of the last change',
    async (name) => {
      const ceilings = new Set<boolean | null>()
      for (const [stored, by] of [
        [false, owner],
        [true, administrator],
      ] as const) {
        const [before] = await gateway.stage.query<{ now: Date }>('select now()')
        expect((await by.call('PUT', `${gates}/${name}`, { body: { enabled: stored } })).status).toBe(200)
        for (const place of [gateway, opposite]) {
          const { json } = await place.call('GET', gates, { headers: { cookie: administrator.cookie } })
          const shown = named(json, name) as unknown as Shown
          ceilings.add(shown.ceiling)
          expect(shown).toMatchObject({
            stored,
            effective: shown.ceiling !== false && stored,
            updated_by: stored ? 'platform' : 'owner',
          })
          expect(Date.parse(shown.updated_at)).toBeGreaterThanOrEqual(before!.now.getTime())
        }
      }
      const hasCeiling = !['rate_limit_enabled', 'automation_enabled'].includes(name)
      expect(ceilings).toEqual(new Set(hasCeiling ? [true, false] : [null]))
    },
  )

  test('is in no answer of the public API but that of Health', async () => {
    const { json } = await gateway.call('GET', '/api/v1/openapi.json')
    const found: string[] = []
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (
          path.endsWith('.properties') &&
          /^(rate_limit|automation|production_sending|test_sends|synthetic_rehearsals)_enabled$|gate/.test(key)
        )
          found.push(`${path.split('.').at(-2)}.${key}`)
        walk(inner, `${path}.${key}`)
      }
    }
    walk(json['components'], 'components')
    // the switch of the workspace is its own, and no platform gate
    expect(found.filter((field) => !/^workspace/i.test(field))).toEqual(['Health.production_sending_enabled'])
    expect(Object.keys(json['paths'] as object).filter((path) => path.includes('gate'))).toEqual([])
    for (const path of [gates, '/api/v1/platform/gates', '/api/v1/gates'])
      expect((await gateway.call('GET', path, { as: 'owner' })).status).not.toBe(200)
  })
})

test('the console’s own document is for browser sessions', async () => {
  expect((await gateway.call('GET', '/console/api/openapi.json')).status).toBe(401)
  const { status, json } = await owner.call('GET', '/console/api/openapi.json')
  expect(status).toBe(200)
  expect(Object.keys(json['paths'] as object)).toContain(`${gates}/{name}`)
})

describe('in a restored database', () => {
  test('every gate closes at the first reading, with an audit entry and an alert, and opens only by hand', async () => {
    for (const name of ['production_sending_enabled', 'automation_enabled'])
      await owner.call('PUT', `${gates}/${name}`, { body: { enabled: true } })
    const rpc = await gateway.stage.client(Identity, gateway.rpcPort)
    const read = async () => (await rpc.getGates(gateway.stage.caller({ workspaceId: null }), {})).effective
    expect(await read()).toMatchObject({ production_sending_enabled: true, automation_enabled: true })

    // as if these rows were a copy
    await gateway.stage.query(`update identity.database_marker set marker = 'another database'`)
    const readings = await Promise.all([read(), read(), read()])
    for (const effective of readings)
      expect(effective).toMatchObject({
        rate_limit_enabled: true,
        automation_enabled: false,
        production_sending_enabled: false,
        test_sends_enabled: false,
      })
    const once = async (text: string) =>
      expect(
        await until(async () => (await gateway.stage.query(text)).length > 0 && gateway.stage.query(text)),
      ).toHaveLength(1)
    await once(`select from identity.audit_log where action = 'platform_gates_closed'`)
    await once(`select from identity.alerts where code = 'gates_closed_after_restore'`)

    await owner.call('PUT', `${gates}/production_sending_enabled`, { body: { enabled: true } })
    expect(await read()).toMatchObject({ production_sending_enabled: true, automation_enabled: false })
  })
})
