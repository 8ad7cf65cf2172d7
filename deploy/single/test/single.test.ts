import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole } from '@lettergate/database/roles'
import { createService } from '@lettergate/service'
import { ConfigError } from '@lettergate/service/config'
import { collectProcessMetrics, collectStartTime } from '@lettergate/service/process-metrics'
import { openStage } from '@lettergate/stage'
import { chooseTargets } from '../src/choose-targets.ts'
import { healthOfAll } from '../src/health-of-all.ts'
import { schemas } from '../src/schemas.ts'
import { targetEnvironment } from '../src/target-environment.ts'
import { targets } from '../src/targets.ts'

const namesOf = (text: string) => chooseTargets(text).map(({ name }) => name)
const environmentOf = (name: string, environment: Record<string, string>, beside = 'all') =>
  targetEnvironment(
    environment,
    targets.find((target) => target.name === name)!,
    chooseTargets(beside),
  )

test('TARGET names all targets, a service in all its roles, or one role, in any order and spacing', () => {
  expect(namesOf('all')).toEqual(targets.map(({ name }) => name))
  expect(targets).toHaveLength(10)
  expect(namesOf('campaigns-delivery')).toEqual(['campaigns-delivery-api', 'campaigns-delivery-worker'])
  expect(namesOf(' campaigns-delivery-worker , gateway,gateway')).toEqual(['gateway', 'campaigns-delivery-worker'])
})

test.each(['', ' , ', 'gatway', 'gateway,worker', 'ALL', '__proto__'])(
  'TARGET=%j is refused with the known names',
  (text) => {
    expect(() => chooseTargets(text)).toThrow(ConfigError)
    expect(() => chooseTargets(text)).toThrow(/Use one or more of: all, contacts-consent, gateway, .*imports-worker/)
  },
)

test('no two targets use one port by default', () => {
  const ports = targets.flatMap(({ defaults }) => [
    defaults['RPC_PORT'],
    defaults['HEALTH_PORT'],
    defaults['HTTP_PORT'],
  ])
  const used = ports.filter((port) => port !== undefined && port !== '0')
  expect(new Set(used).size).toBe(used.length)
})

test('a variable of a role goes before one of its service, and that before the common one', () => {
  const set = {
    DATABASE_URL: 'common',
    CAMPAIGNS_DELIVERY__DATABASE_URL: 'service',
    CAMPAIGNS_DELIVERY_WORKER__DATABASE_URL: 'role',
    CAMPAIGNS_DELIVERY_WORKER__RPC_PORT: '9',
    ROLE: 'api',
    RPC_PORT: '1',
  }
  expect(environmentOf('gateway', set)).toMatchObject({ DATABASE_URL: 'common', ROLE: '', RPC_PORT: '7002' })
  expect(environmentOf('campaigns-delivery-api', set)).toMatchObject({
    DATABASE_URL: 'service',
    ROLE: 'api',
    RPC_PORT: '7004',
  })
  expect(environmentOf('campaigns-delivery-worker', set)).toMatchObject({
    DATABASE_URL: 'role',
    ROLE: 'worker',
    RPC_PORT: '9',
  })
})

test('targets find those of the same process by themselves, and the others by the variables of the operator', () => {
  const set = { IMPORTS__RPC_PORT: '9000', CONTACTS_CONSENT_TARGET: 'elsewhere:1' }
  const environment = environmentOf('gateway', set, 'gateway,sending-infra,imports-api,imports-worker')
  expect(environment).toMatchObject({
    IDENTITY_TARGET: '127.0.0.1:7002',
    SENDING_INFRA_TARGET: '127.0.0.1:7003',
    IMPORTS_TARGET: '127.0.0.1:9000',
    CONTACTS_CONSENT_TARGET: 'elsewhere:1',
  })
  expect(environment).not.toHaveProperty('AUTOMATIONS_TARGET')
})

test('the program lists what is missing in the environment of every target, or the known targets, and exits with 78', () => {
  const main = new URL('../src/main.ts', import.meta.url).pathname
  const runWith = (env: Record<string, string>) => spawnSync(process.execPath, [main], { env, encoding: 'utf8' })
  const incomplete = runWith({ TARGET: 'sending-infra,webhook-intake', SENDING_INFRA__DATABASE_URL: 'nonsense' })
  expect(incomplete.status).toBe(78)
  expect(incomplete.stderr).toMatch(
    /^sending-infra: [^]*DATABASE_URL must be a URL[^]*^webhook-intake: [^]*DATABASE_URL is required/m,
  )
  expect(incomplete.stderr).not.toContain('nonsense')
  const unknown = runWith({ TARGET: 'gatway' })
  expect([unknown.status, unknown.stderr]).toEqual([78, expect.stringContaining('TARGET has unknown names: gatway')])
  expect(runWith({})).toMatchObject({ status: 78, stderr: expect.stringContaining('TARGET is required') })
})

test('the health port of all shows each service to the rule that looks for missing ones', async () => {
  const services = ['gateway', 'imports'].map((name) => createService(name, { logLevel: 'silent' }))
  collectProcessMetrics(services[0]!)
  collectStartTime(services[1]!)
  const health = await healthOfAll(services, 0)
  try {
    const text = await (await fetch(`http://127.0.0.1:${health.port}/metrics`)).text()
    for (const name of ['gateway', 'imports'])
      expect(text).toMatch(
        new RegExp(`^process_start_time_seconds\\{service="${name}",role="service"\\} \\d{10}$`, 'm'),
      )
  } finally {
    await health.stop()
  }
})

test('the migration brings every schema of an empty database to its newest version, and may be repeated', async () => {
  expect(Object.keys(schemas).toSorted()).toEqual([...new Set(targets.map(({ service }) => service))].toSorted())
  const empty = Object.values(schemas).map((schema) => ({ ...schema, migrations: [] }))
  const stage = await openStage({ schemas: empty })
  try {
    const main = new URL('../src/migrate.ts', import.meta.url).pathname
    const env = { MIGRATION_DATABASE_URL: stage.databaseUrl(migratorRole) }
    const migrate = () => spawnSync(process.execPath, [main], { env, encoding: 'utf8' })
    const lines = (tell: (schema: ServiceSchema) => string) => Object.values(schemas).map(tell).join('')
    const named = lines(({ schema, migrations }) => `${schema}: ${migrations.map(({ name }) => name).join(', ')}\n`)
    expect(migrate()).toMatchObject({ status: 0, stdout: named })
    expect(migrate()).toMatchObject({ status: 0, stdout: lines(({ schema }) => `${schema}: up to date\n`) })
    const usable = await stage.query(`select has_table_privilege('identity', 'identity.users', 'select') as yes`)
    expect(usable).toEqual([{ yes: true }])
  } finally {
    await stage.close()
  }
})
