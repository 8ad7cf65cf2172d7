import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { sendingStage, type SendingStage } from '../sending-stage.ts'

let rig: SendingStage
beforeAll(async () => void (rig = await sendingStage({ env: { DOMAIN_RECHECK_CONCURRENCY: '2' } })))
afterAll(() => rig.close())

interface DomainRow {
  is_ready: boolean
  last_check_passed: boolean
  quota_state: string
  checked_at: Date
  recheck_at: Date | null
  recheck_failures: number
  /** the hours until the next check */
  hours: number
  checks: number
}

const domainOf = async (id: string) =>
  (
    await rig.stage.query<DomainRow & Record<string, unknown>>(
      `select *, extract(epoch from recheck_at - now())::float8 / 3600 as hours,
              (select count(*)::int from sending.domain_checks c where c.sending_domain_id = d.id) as checks
         from sending.sending_domains d where id = $1`,
      [id],
    )
  )[0]!
const makeDue = (id: string, more = '') =>
  rig.stage.query(`update sending.sending_domains set recheck_at = now()${more} where id = $1`, [id])
const lookedAgain = (id: string, checks: number) =>
  until(async () => (await domainOf(id)).checks === checks, {
    what: 'the domain to be checked again',
  })
const triedAgain = (id: string, failures: number) =>
  until(async () => (await domainOf(id)).recheck_failures === failures, { what: 'a try that fails' })
const eventsOf = async (ctx: { workspaceId: string }) =>
  (
    await rig.stage.query<{ payload: Buffer }>(
      `select payload from sending.outbox where event = 'alert_raised' and workspace_id = $1 order by id`,
      [ctx.workspaceId],
    )
  ).map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
const alertsOf = async (ctx: { workspaceId: string }) => (await eventsOf(ctx)).filter(({ isOver }) => !isOver)
/** Whether the last event about this alert says that it is over. */
const isEnded = async (ctx: { workspaceId: string }, code: string) =>
  (await eventsOf(ctx)).filter((alert) => alert.code === code).at(-1)?.isOver

test('a passing domain is checked again automatically before its check is too old; a domain that never passed is not', async () => {
  const ctx = rig.owner()
  const never = await rig.domain(ctx, undefined, { state: 'unverified', dns: 'missing' })
  await rig.sending.verifySendingDomain(ctx, { domainId: never.id })
  expect((await domainOf(never.id)).recheck_at).toBeNull()

  const { id } = await rig.readyDomain(rig.owner())
  const before = await domainOf(id)
  expect(before.hours).toBeGreaterThan(9.5)
  expect(before.hours).toBeLessThan(14.5)
  await makeDue(id)
  await lookedAgain(id, 2)
  const after = await domainOf(id)
  expect(after).toMatchObject({ is_ready: true, last_check_passed: true, recheck_failures: 0 })
  expect(after.checked_at.getTime()).toBeGreaterThan(before.checked_at.getTime())
  expect(after.hours).toBeGreaterThan(9.5)
  const [check] = await rig.stage.query(
    'select requested_by from sending.domain_checks where sending_domain_id = $1 order by number desc limit 1',
    [id],
  )
  expect(check).toEqual({ requested_by: 'system:recheck-domains' })
})

test('a ready domain with broken DNS may not send and raises one alert, and may send again after the DNS is fixed', async () => {
  const ctx = rig.owner()
  const { id, name } = await rig.readyDomain(ctx)
  await rig.sim('PUT', `/dns/${name}`, { records: [{ type: 'TXT', name, value: 'v=spf1 -all' }] })
  for (const [checks, failures] of [
    [2, 1],
    [3, 2],
    [4, 3],
  ]) {
    await makeDue(id)
    await lookedAgain(id, checks!)
    expect(await domainOf(id)).toMatchObject({ is_ready: false, last_check_passed: false, recheck_failures: failures })
  }
  expect((await domainOf(id)).hours).toBeGreaterThan(3.9)
  expect(await isEnded(ctx, 'sending_domain_regressed')).toBe(false)
  const alerts = await alertsOf(ctx)
  expect(alerts).toMatchObject([
    { code: 'sending_domain_regressed', severity: 'critical', detail: { sending_domain_id: id, domain_name: name } },
  ])
  expect(alerts[0]!.detail!['not_in_order']).toEqual(['SPF', 'DKIM', 'DMARC'])
  expect(alerts[0]!.summary).toContain(name)

  await rig.sim('PUT', `/domains/${name}`, { dns: 'ok' })
  await makeDue(id)
  await lookedAgain(id, 5)
  expect(await domainOf(id)).toMatchObject({ is_ready: true, last_check_passed: true, recheck_failures: 0 })
  expect(await isEnded(ctx, 'sending_domain_regressed')).toBe(true)
  const told = await rig.stage.query<{ payload: Buffer }>(
    `select payload from sending.outbox where event = 'domain_checked' and workspace_id = $1 order by id`,
    [ctx.workspaceId],
  )
  expect(told.map(({ payload }) => fromBinary(DomainCheckedSchema, payload).isReady)).toEqual([
    true,
    false,
    false,
    false,
    true,
  ])
})

test('a quota set by a person stays after every check', async () => {
  const ctx = rig.owner()
  const { id } = await rig.readyDomain(ctx)
  await rig.sending.setSendingDomainReadiness(ctx, { domainId: id, quotaState: 'insufficient' })
  await makeDue(id)
  await lookedAgain(id, 2)
  expect(await domainOf(id)).toMatchObject({ is_ready: false, quota_state: 'insufficient', last_check_passed: true })
  expect(await alertsOf(ctx)).toEqual([])
})

test('a failing provider changes no state; the check is retried soon, and raises one alert if the failure lasts', async () => {
  const ctx = rig.owner()
  const { id } = await rig.readyDomain(ctx)
  await rig.sim('PUT', '/faults', { mode: 'server_error' })
  try {
    await makeDue(id)
    await triedAgain(id, 1)
    expect(await domainOf(id)).toMatchObject({ is_ready: true, last_check_passed: true, checks: 1 })
    expect((await domainOf(id)).hours).toBeLessThan(0.1)
    expect(await alertsOf(ctx)).toEqual([])
    await makeDue(id, ', recheck_failures = 3')
    await triedAgain(id, 4)
    await makeDue(id)
    await triedAgain(id, 5)
  } finally {
    await rig.sim('PUT', '/faults', { mode: 'none' })
  }
  expect(await alertsOf(ctx)).toMatchObject([
    { code: 'sending_domain_unchecked', severity: 'warning', detail: { sending_domain_id: id } },
  ])
  // After this number of failures, the circuit breaker refuses calls for some seconds. The domain is made due only while no check
  // is in progress (a replica that checks it has moved its due time by a minute), so it is checked once.
  await until(
    async () => {
      const { checks, hours } = await domainOf(id)
      if (checks === 1 && hours > 2 / 60) await makeDue(id)
      return checks === 2
    },
    { everyMs: 500, what: 'the domain to be checked again' },
  )
  expect(await domainOf(id)).toMatchObject({ is_ready: true, recheck_failures: 0 })
  expect(await isEnded(ctx, 'sending_domain_unchecked')).toBe(true)
})

test('a removed credential raises an alert at once, and the alert does not contain it', async () => {
  const ctx = rig.owner()
  const { id, connectionId } = await rig.readyDomain(ctx)
  const pointAt = (key: string) =>
    rig.stage.query('update sending.provider_connections set credential_env_key = $1 where id = $2', [
      key,
      connectionId,
    ])
  for (const [failures, key] of [
    [1, 'MAILPROVIDER_WRONG_KEY'],
    [2, 'MAILPROVIDER_MISSING_KEY'],
  ] as const) {
    await pointAt(key)
    await makeDue(id)
    await triedAgain(id, failures)
  }
  expect(await domainOf(id)).toMatchObject({ is_ready: true, checks: 1 })
  const alerts = await alertsOf(ctx)
  expect(alerts).toMatchObject([
    { code: 'sending_domain_unchecked', detail: { reason: 'provider_credential_refused' } },
  ])
  expect(JSON.stringify(alerts.map(({ summary, detail }) => [summary, detail]))).not.toMatch(/no-such-key|_KEY/)
})

test('a DNS without answers does not close a ready domain', async () => {
  const silent = await sendingStage({ env: { DNS_SERVERS: '127.0.0.1:9', DNS_TIMEOUT_MS: '100', DNS_TRIES: '1' } })
  try {
    const ctx = silent.owner()
    const { id } = await silent.readyDomain(ctx)
    await silent.stage.query(
      `update sending.sending_domains set verification_state = 'verified', spf_state = 'verified', dkim_state = 'verified', dmarc_state = 'verified',
              last_check_passed = true, recheck_at = now() where id = $1`,
      [id],
    )
    const read = async () =>
      (
        await silent.stage.query('select is_ready, recheck_failures from sending.sending_domains where id = $1', [id])
      )[0]
    await until(async () => (await read())!['recheck_failures'] === 1, {
      what: 'a look at a silent DNS',
    })
    expect(await read()).toEqual({ is_ready: true, recheck_failures: 1 })
  } finally {
    await silent.close()
  }
})

test('two replicas check each due domain once, within their concurrency limits', async () => {
  await rig.replica()
  const count = 12
  const domains: string[] = []
  for (let n = 0; n < count; n += 1) domains.push((await rig.readyDomain(rig.owner())).id)
  await rig.sim('PUT', '/faults', { mode: 'none', latency_ms: 150 })
  try {
    await rig.stage.query('update sending.sending_domains set recheck_at = now() where id = any($1)', [domains])
    const atOnce: number[] = []
    await until(
      async () => {
        const [found] = await rig.stage.query<{ taken: number; done: number }>(
          `select count(*) filter (where recheck_at > now() and recheck_at <= now() + interval '1 minute')::int as taken,
                  count(*) filter (where recheck_at > now() + interval '1 hour')::int as done from sending.sending_domains where id = any($1)`,
          [domains],
        )
        atOnce.push(found!.taken)
        return found!.done === count
      },
      { what: 'all domains to be looked at' },
    )
    expect(Math.max(...atOnce)).toBeGreaterThan(0)
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(4)
  } finally {
    await rig.sim('PUT', '/faults', { mode: 'none' })
  }
  const checks = await rig.stage.query<{ count: number }>(
    'select count(*)::int from sending.domain_checks where sending_domain_id = any($1) group by sending_domain_id',
    [domains],
  )
  expect(checks.map((row) => row.count)).toEqual(Array.from({ length: count }, () => 2))
})
