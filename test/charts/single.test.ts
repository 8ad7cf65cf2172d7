import { expect, test } from '@jest/globals'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IService } from 'kubernetes-models/v1/Service'
import { variables as migrationVariables } from '@lettergate/database/config'
import { newSecrets } from '@lettergate/kind/secrets'
import { variables as singleVariables } from '@lettergate/single/config'
import { schemas } from '@lettergate/single/schemas'
import { checkTypes } from './check-types.ts'
import { environmentOf } from './configuration.ts'
import { lint, manifestsOf, template, withHelm, type RenderedManifest } from './helm.ts'
import { configurationsIn, imageEnvironment, readBySingle, targets } from './single-process.ts'
import { deploymentsOf, topology, workloadsOf } from './workloads.ts'

const values = '--values=charts/lettergate/values-single.yaml'
const changed = [
  '--set=database.cluster=lettergate-db,services.imports.config.IMPORT_JOBS_AT_ONCE=3,nats.caSecretName=nats-ca',
  '--set=telemetry.endpoint=http://collector:4318,monitoring.podMonitor=true,edge.ingress.enabled=true',
  '--set=services.sending-infra.extraEgress[0].ports[0].port=8443,image.digests.single=sha256:0123',
]

withHelm('all services in one process', () => {
  const sets: Record<string, RenderedManifest[]> = {
    default: template('lettergate', values),
    changed: template('lettergate', values, ...changed),
  }
  const names = Object.keys(sets)
  const singleIn = (set: string) => deploymentsOf(sets[set]!).find(({ component }) => component === 'single')!
  const find = (set: string, kind: string, name: string) =>
    sets[set]!.find((one) => one.kind === kind && one.metadata.name === `lettergate-${name}`)!

  test('the values pass the strict lint, and every manifest has the fields of its kind', () => {
    const { ok, errors, output } = lint('lettergate', values)
    expect({ ok, errors, said: ok ? '' : output }).toEqual({ ok: true, errors: '', said: '' })
    expect(checkTypes(Object.values(sets).flat())).toEqual([])
  })

  test.each(names)('there is one process beside nats-streams, one migration, and no certificate (%s)', (set) => {
    expect(deploymentsOf(sets[set]!).map(({ component }) => component)).toEqual(['nats-streams', 'single'])
    const [migration, ...others] = workloadsOf(sets[set]!).filter(({ kind }) => kind === 'Job')
    expect(others).toEqual([])
    expect(migration!.container.image).toBe(singleIn(set).container.image)
    expect(migration!.container.args!.at(-1)).toBe('main/src/migrate.ts')
    const named = new Set(migration!.container.env!.map(({ name }) => name))
    for (const { name } of Object.values(migrationVariables)) expect(named).toContain(name)
    expect(sets[set]!.filter(({ kind }) => kind === 'Certificate' || kind === 'Issuer')).toEqual([])
    const unique = sets[set]!.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    expect(new Set(unique).size).toBe(unique.length)
  })

  test.each(names)('every target accepts its environment, and the process reads every variable (%s)', async (set) => {
    const environment = environmentOf(singleIn(set))
    const configurations = await configurationsIn({ ...imageEnvironment, ...environment })
    for (const { name, service } of targets) {
      const password = `${service.toUpperCase().replaceAll('-', '_')}__DATABASE_PASSWORD`
      const { role } = schemas[service]!
      expect({ name, ...configurations[name] }).toMatchObject({
        name,
        bindAddress: '127.0.0.1',
        httpBindAddress: '0.0.0.0',
        natsNkeySeed: 'SUAA',
        databaseUrl:
          set === 'changed'
            ? `postgresql://${role}:$(${password})@lettergate-db-rw:5432/lettergate`
            : 'postgresql://role:password@database:5432/lettergate',
      })
    }
    const isRead = await readBySingle()
    const ofOthers = /^(OTEL_\w+|PGSSLMODE|NODE_EXTRA_CA_CERTS|[A-Z_]+__DATABASE_PASSWORD)$/
    expect(Object.keys(environment).filter((name) => !isRead(name) && !ofOthers.test(name))).toEqual([])
    expect(configurations['imports-worker']).toMatchObject({ importJobsAtOnce: set === 'changed' ? 3 : 2 })
    // Kubernetes replaces only what is defined before.
    const order = singleIn(set).container.env!.map(({ name }) => name)
    expect(new Set(order).size).toBe(order.length)
    for (const password of order.filter((name) => name.endsWith('PASSWORD')))
      expect(order.indexOf(password)).toBeLessThan(order.indexOf(password.replace('PASSWORD', 'URL')))
  })

  test('its secrets are those of the services, which a new installation makes', () => {
    const made = newSecrets(
      { release: 'lettergate', namespace: 'mail', cluster: 'lettergate-db' },
      { walletClientSecret: 'w', providerApiKey: 'p', providerSigningKey: 's'.repeat(16) },
    )
    const references = singleIn('changed').container.env!.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    const missing = references.filter(
      ({ name, key, optional }) =>
        optional !== true && made.find(({ metadata }) => metadata.name === name)?.stringData?.[key!] === undefined,
    )
    expect(missing).toEqual([])
    const separate = deploymentsOf(manifestsOf('default')).filter(({ container }) => container.name !== 'nats-streams')
    const read = (workloads: typeof separate) =>
      workloads.flatMap(({ container }) =>
        container.env!.flatMap(({ valueFrom: from }) =>
          from === undefined ? [] : [`${from.secretKeyRef!.name} ${from.secretKeyRef!.key}`],
        ),
      )
    expect(new Set(read([singleIn('default')]))).toEqual(new Set(read(separate)))
  })

  test.each(names)(
    'it has the ports of its targets, probes, limits, and the restricted security context (%s)',
    (set) => {
      const httpPort = (name: string) => targets.find((target) => target.name === name)!.defaults['HTTP_PORT']
      expect(topology.single).toEqual({
        http: Number(httpPort('gateway')),
        webhooks: Number(httpPort('webhook-intake')),
        health: Number(singleVariables.healthPort.fallback),
      })
      const { container, pod } = singleIn(set)
      expect(container.ports!.map(({ name, containerPort }) => [name, containerPort])).toEqual(
        Object.entries(topology.single),
      )
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
      expect(probes.map((probe) => probe!.httpGet)).toEqual(
        ['/readyz', '/healthz', '/readyz/process'].map((path) => ({ path, port: 'health' })),
      )
      expect(container.lifecycle!.preStop).toBeDefined()
      for (const one of workloadsOf(sets[set]!)) {
        expect(Object.keys(one.container.resources!.limits!)).toEqual(expect.arrayContaining(['cpu', 'memory']))
        expect(one.container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(one.pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      }
      const mounted = pod.volumes!.map(({ name }) => name)
      expect(mounted).toEqual(set === 'changed' ? ['tmp', 'database-authority', 'nats-authority'] : ['tmp'])
      const image = container.image!.replace('registry.example.com/lettergate/', '')
      expect(image).toBe(set === 'changed' ? 'single@sha256:0123' : 'single:0.1.0')
    },
  )

  test('the edge reaches it by the Services of the gateway and of webhook-intake', () => {
    const selected = (name: string) => {
      const { selector, ports } = find('changed', 'Service', name).spec as IService['spec'] & object
      return [selector!['app.kubernetes.io/component'], ports![0]!.port, ports![0]!.targetPort]
    }
    expect(selected('gateway-http')).toEqual(['single', 80, 'http'])
    expect(selected('webhook-intake-http')).toEqual(['single', 80, 'webhooks'])
    expect(selected('single')).toEqual(['single', topology.single['health'], 'health'])
    const ingress = JSON.stringify(sets['changed']!.find(({ kind }) => kind === 'Ingress')!.spec)
    for (const name of ['gateway-http', 'webhook-intake-http']) expect(ingress).toContain(`"lettergate-${name}"`)
    const [pod] = workloadsOf(sets['default']!).filter(({ component }) => component === 'test')
    const asked = pod!.container.args!.at(-1)!
    expect(asked).toContain('"http://lettergate-single:7100/readyz","http://lettergate-nats-streams:8081/readyz"')
    expect(asked).not.toContain('lettergate-imports')
  })

  test('it reaches the stores and the internet, and only its HTTP ports are open to others', () => {
    const policyOf = (set: string, name: string) =>
      find(set, 'NetworkPolicy', name).spec as INetworkPolicy['spec'] & object
    const portsOf = (rules: { ports?: { port?: string | number }[] }[] = []) => [
      ...new Set(rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port!))),
    ]
    const { ingress, egress } = policyOf('default', 'single')
    expect(portsOf(egress)).toEqual([53, 4222, 5432, 443])
    expect(portsOf(policyOf('changed', 'single').egress)).toEqual([53, 4222, 5432, 443, 4318, 8443])
    const ofOthers = ingress!.filter(({ from = [] }) => !JSON.stringify(from).includes('"test"'))
    expect(portsOf(ofOthers)).toEqual(['http', 'webhooks'])
    expect(portsOf(policyOf('default', 'test').egress)).toEqual([53, 8080, 8081, topology.single['health']])
    const policies = sets['default']!.filter(({ kind }) => kind === 'NetworkPolicy').map(
      ({ metadata }) => metadata.name,
    )
    expect(policies.map((name) => name.replace('lettergate-', '')).toSorted()).toEqual(
      ['default-deny', 'migration', 'nats-streams', 'single', 'test'].toSorted(),
    )
  })
})
