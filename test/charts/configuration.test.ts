import { load } from 'js-yaml'
import { expect, test } from '@jest/globals'
import { variables as migrationVariables } from '@lettergate/database/config'
import { isNamedSecret } from '@lettergate/service/named-secrets'
import { read } from '@lettergate/guard/tree'
import { configurationOf, environmentOf } from './configuration.ts'
import { withHelm, manifestsOf, variants } from './helm.ts'
import { freeVariables, valuesSchema } from './values-schema.ts'
import { deploymentsOf, processes, topology, workloadsOf } from './workloads.ts'

/** Variables that other programs of the process read: Node, the driver of PostgreSQL, OpenTelemetry. */
const ofOthers = [
  'DATABASE_PASSWORD',
  'NODE_EXTRA_CA_CERTS',
  'PGSSLMODE',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
]

const services = Object.keys(topology.services)
const values = load(read('charts/lettergate/values.yaml')) as {
  services: Record<string, { config: Record<string, unknown> }>
}

withHelm('the environment of every process', () => {
  const variantsOfAll = Object.keys(variants).flatMap((variant) =>
    processes.map(({ component, service }) => ({ variant, component, service })),
  )
  const containerOf = (variant: string, component: string) =>
    deploymentsOf(manifestsOf(variant)).find((one) => one.component === component)!

  test.each(variantsOfAll)('$component accepts it ($variant)', async ({ variant, component, service }) => {
    const { variables, loadConfig } = await configurationOf(service)
    const environment = environmentOf(containerOf(variant, component))
    expect(() => loadConfig(environment)).not.toThrow()
    const known = new Set([...Object.values(variables).map(({ name }) => name), ...ofOthers])
    const unknown = Object.keys(environment).filter((name) => !known.has(name) && !isNamedSecret(name))
    expect(unknown).toEqual([])
    const required = Object.values(variables).filter(({ fallback }) => fallback === undefined)
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(required.map(({ name }) => name)))
  })

  test.each(services)('every secret of %s is named in the topology, and comes from a Secret', async (service) => {
    const { variables } = await configurationOf(service)
    const { secrets = [], optionalSecrets = [], schema } = topology.services[service]!
    const declared = Object.values(variables).filter(({ secret }) => secret)
    const named = [...(schema === undefined ? [] : ['DATABASE_URL']), ...secrets, ...optionalSecrets]
    expect(declared.map(({ name }) => name).toSorted()).toEqual(named.toSorted())
    for (const variant of ['default', 'minimal'])
      for (const { container } of deploymentsOf(manifestsOf(variant)).filter((one) => one.container.name === service))
        for (const { name, value } of container.env!)
          if (named.includes(name)) expect({ name, value }).toEqual({ name })
  })

  test('migrations have the settings of migrations, and no service has their URL', () => {
    for (const variant of Object.keys(variants)) {
      const workloads = workloadsOf(manifestsOf(variant))
      const migrations = workloads.filter(({ component }) => component === 'migration')
      expect(migrations).toHaveLength(services.filter((service) => topology.services[service]!.schema).length)
      for (const { container } of migrations) {
        const names = container.env!.map(({ name }) => name).filter((name) => !ofOthers.includes(name))
        expect(names).toEqual(Object.values(migrationVariables).map(({ name }) => name))
        expect(container.args!.at(-1)).toBe('main/src/migrate.ts')
      }
      const others = workloads.filter(({ component }) => component !== 'migration')
      expect(JSON.stringify(others)).not.toContain('MIGRATION_DATABASE_URL')
      expect(JSON.stringify(others)).not.toContain('migrator')
    }
  })

  test('a service has the keys of the provider only if its code reads such keys', () => {
    for (const { service } of processes) {
      const uses = /namedSecrets\(/.test(service === 'nats-streams' ? '' : read(`services/${service}/src/config.ts`))
      expect({ service, uses }).toEqual({ service, uses: topology.services[service]!.provider !== undefined })
    }
    expect(read('services/webhook-intake/src/config.ts')).toContain('signingKey(')
    expect(topology.services['webhook-intake']!.provider).toBe('signing')
  })
})

test('the schema of the values is made from the current configuration of the services', async () => {
  const text = read('charts/lettergate/values.schema.json')
  expect(text).toBe(`${JSON.stringify(await valuesSchema(), null, 2)}\n`)
  expect(await freeVariables('imports')).toContain('IMPORT_JOBS_AT_ONCE')
  for (const service of services) {
    const given = Object.keys(values.services[service]!.config)
    expect(await freeVariables(service)).toEqual(expect.arrayContaining(given))
  }
})

test('every value of the schema has a default', () => {
  const schema = JSON.parse(read('charts/lettergate/values.schema.json')) as { properties: Record<string, object> }
  const without = Object.keys(schema.properties).filter((name) => !(name in values))
  expect(without.toSorted()).toEqual(['fullnameOverride', 'global', 'lettergate-lib'])
})
