import { globSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { loadConfig } from '../launcher/config.ts'
import { labelOf, planProcesses, programOf, settingsOf } from '../launcher/processes.ts'
import { runTogether } from '../launcher/run-together.ts'

const plan = (fixed: Record<string, string> = {}, port: (name: string) => number = () => 1) =>
  planProcesses({
    config: loadConfig(fixed),
    secrets: {
      preferenceSigningKeys: 'k',
      consentProofSigningKey: 'p',
      erasureHashKeys: 'e',
      campaignWebhookKeys: 'c',
      importKeys: 'i',
      walletClientSecret: 's',
      natsSeeds: {},
    },
    databaseUrl: 'postgres://postgres@127.0.0.1:1/postgres',
    natsUrl: 'nats://127.0.0.1:1',
    natsNamespace: '',
    natsHasUsers: false,
    port,
  })

test('every service of the local stack listens on loopback only and has its own certificate', () => {
  const services = plan().filter(({ main }) => main.startsWith('services/'))
  expect(services.length).toBeGreaterThan(6)
  for (const { name, environment } of services) {
    expect(environment['BIND_ADDRESS']).toBe('127.0.0.1')
    expect(environment['TLS_CERT_FILE']).toMatch(new RegExp(`/certificates/${name}\\.pem$`))
    expect(environment['TLS_KEY_FILE']).toMatch(new RegExp(`/certificates/${name}-key\\.pem$`))
    expect(environment['TLS_CA_FILE']).toMatch(/\/certificates\/ca\.pem$/)
  }
})

test('every service of the local stack is told that its environment is local, unless the caller names another', () => {
  const names = () =>
    plan()
      .filter(({ main }) => main.startsWith('services/'))
      .map(({ environment }) => environment['DEPLOYMENT_ENVIRONMENT'])
  expect(new Set(names())).toEqual(new Set(['local']))
  process.env['DEPLOYMENT_ENVIRONMENT'] = 'production'
  try {
    expect(new Set(names())).toEqual(new Set(['production']))
  } finally {
    delete process.env['DEPLOYMENT_ENVIRONMENT']
  }
})

test('a change of any setting of a service restarts it, except settings that the stack sets itself', () => {
  const set = new Set(plan().flatMap(({ environment }) => Object.keys(environment)))
  const read = globSync(['services/*/src/config.ts', 'libs/service/src/config.ts']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^  \w+: \w+\('([A-Z][A-Z0-9_]+)'/gm)].map(([, name]) => name!),
  )
  expect(read).toContain('SNAPSHOTS_AT_ONCE')
  const names = [...new Set(read)].filter((name) => !set.has(name))
  const environment = Object.fromEntries(names.map((name) => [name, '1']))
  expect(settingsOf({ ...loadConfig(), environment }).map(([name]) => name)).toEqual(names)
})

test.each([
  ['', 'traces', 'deploy/local/traces/main.ts'],
  ['/opt/jaeger', 'jaeger', 'deploy/local/jaeger/main.ts'],
])('with LETTERGATE_JAEGER=%s the traces go to %s', (jaeger, name, main) => {
  const ports = { LETTERGATE_TRACES: 'true', LETTERGATE_JAEGER: jaeger, OTEL_EXPORTER_OTLP_ENDPOINT: '' }
  const processes = plan(ports)
  const collectors = processes.filter((process) => ['traces', 'jaeger'].includes(process.name))
  expect(collectors.map((process) => [process.name, process.main])).toEqual([[name, main]])
  for (const { environment } of processes.filter(({ main }) => main.startsWith('services/')))
    expect(environment['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe('http://127.0.0.1:1')
  expect(collectors[0]!.environment['JAEGER_PROGRAM'] ?? '').toBe(jaeger)
})

test('with REPLICAS=2 every service and worker has two processes with ports of their own, and its callers have both addresses', () => {
  const ports: string[] = []
  const numberOf = (name: string) => (ports.includes(name) ? ports.indexOf(name) : ports.push(name) - 1)
  const processes = plan({ REPLICAS: '2' }, numberOf)
  const services = processes.filter(({ main }) => main.startsWith('services/'))
  const names = [...new Set(services.map(programOf))]
  expect(names).toHaveLength(10)
  expect(services.map(labelOf).toSorted()).toEqual(names.flatMap((name) => [name, `${name}-2`]).toSorted())
  const own = services.map(({ environment }) => [environment['HEALTH_PORT'], environment['HTTP_PORT'] ?? ''].join(' '))
  expect(new Set(own).size).toBe(20)

  const of = (label: string) => processes.find((process) => labelOf(process) === label)!.environment
  const [first, second] = [of('sending-infra')['RPC_PORT'], of('sending-infra-2')['RPC_PORT']]
  expect(of('gateway-2')['SENDING_INFRA_TARGET']).toBe(`ipv4:127.0.0.1:${first},127.0.0.1:${second}`)
  expect(of('edge')['GATEWAY_URL']).toBe(
    ['gateway', 'gateway-2'].map((label) => `http://127.0.0.1:${of(label)['HTTP_PORT']}`).join(','),
  )
  expect(
    runTogether(processes, 'all', numberOf)
      .map(labelOf)
      .filter((label) => label.startsWith('lettergate')),
  ).toEqual(['lettergate', 'lettergate-2'])
})
