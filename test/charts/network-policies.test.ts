import { expect, test } from '@jest/globals'
import { answeredBy, answeredByAll, filesBelow, read, rpcs } from '@lettergate/guard/tree'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { configurationOf } from './configuration.ts'
import { withHelm, manifestsOf, template, variants, type RenderedManifest } from './helm.ts'
import { deploymentsOf, processes, topology } from './workloads.ts'

type Spec = INetworkPolicy['spec'] & object
type Peer = NonNullable<NonNullable<Spec['egress']>[number]['to']>[number]

const policiesOf = (manifests: readonly RenderedManifest[]) =>
  new Map(
    manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata, spec }) => [metadata.labels!['app.kubernetes.io/component']!, spec as Spec]),
  )

/** The components of this installation that a peer selects. */
const componentsIn = (peers: readonly Peer[] = []): string[] =>
  peers.flatMap(({ podSelector }) => podSelector?.matchExpressions?.[0]?.values ?? [])

/** Numbers and names together. */
const byText = (one: unknown, other: unknown) => String(one).localeCompare(String(other))

const portsOf = (ports: { port?: string | number }[] = []) => ports.map(({ port }) => port)

/** `a → b` for each pair of which the policy of a lets a call b, and the policy of b lets a in. */
function arrowsOf(policies: Map<string, Spec>) {
  const out: string[] = []
  const into: string[] = []
  for (const [component, { egress = [], ingress = [] }] of policies) {
    for (const { to, ports } of egress)
      if (portsOf(ports).includes(topology.ports['rpc']!))
        for (const called of componentsIn(to)) out.push(`${component} → ${called}`)
    for (const { from, ports } of ingress)
      if (portsOf(ports).includes('rpc')) for (const caller of componentsIn(from)) into.push(`${caller} → ${component}`)
  }
  return { out: out.toSorted(), into: into.toSorted() }
}

/** The proto services that only the workers of a service answer. */
const answeredByWorkers = new Set(
  filesBelow('services')
    .filter((path) => path.endsWith('/src/start-worker-role.ts'))
    .flatMap((path) => [...read(path).matchAll(/^\s+rpc: (\w+),$/gm)].map(([, service]) => service!)),
)

/** The arrows that the rpcs declare: every process of a calling service opens its connections. */
function declaredArrows(): string[] {
  const pairs = rpcs()
    .filter(({ service }) => answeredByAll[service] === undefined)
    .flatMap(({ service, callers }) => {
      const called = answeredBy[service]!
      const component = answeredByWorkers.has(service) ? `${called}-worker` : called
      return callers
        .filter((caller) => caller !== called)
        .flatMap((caller) =>
          processes.filter((one) => one.service === caller).map((one) => `${one.component} → ${component}`),
        )
    })
  return [...new Set(pairs)].toSorted()
}

for (const variant of Object.keys(variants))
  withHelm(`with the values ${variant}`, () => {
    const manifests = manifestsOf(variant)
    const policies = policiesOf(manifests)

    test('a process reaches exactly the processes whose rpcs declare it as a caller, and these let it in', () => {
      const { out, into } = arrowsOf(policies)
      expect(answeredByWorkers).toEqual(new Set(['AutomationEmails']))
      expect(declaredArrows().length).toBeGreaterThan(20)
      expect(out).toEqual(declaredArrows())
      expect(into).toEqual(declaredArrows())
    })

    test('everything else is denied', () => {
      expect(policies.get('all')).toEqual({
        podSelector: {
          matchLabels: { 'app.kubernetes.io/part-of': 'lettergate', 'app.kubernetes.io/instance': 'lettergate' },
        },
        policyTypes: ['Ingress', 'Egress'],
      })
      const expected = ['all', 'migration', 'test', ...processes.map(({ component }) => component)]
      expect([...policies.keys()].toSorted()).toEqual(expected.toSorted())
      for (const { policyTypes } of policies.values()) expect(policyTypes).toEqual(['Ingress', 'Egress'])
    })

    test.each(processes)(
      '$component reaches what its configuration names, and nothing more',
      async ({ component, service, internet, ports }) => {
        const { variables } = await configurationOf(service)
        const names = new Set(Object.values(variables).map(({ name }) => name))
        const outside = [...names].some((name) => /^(WALLET|MAILPROVIDER(_[A-Z]+)?)_BASE_URL$/.test(name))
        expect({ component, internet }).toEqual({ component, internet: outside })
        const { egress = [], ingress = [] } = policies.get(component)!
        const traces = variant === 'default' || variant === 'minimal' ? [] : [4318]
        expect(egress.flatMap((rule) => portsOf(rule.ports)).toSorted(byText)).toEqual(
          [
            53,
            53,
            ...(names.has('NATS_URL') ? [4222] : []),
            ...(names.has('DATABASE_URL') ? [5432] : []),
            ...([...names].some((name) => name.endsWith('_TARGET')) ? [8082] : []),
            ...(internet ? [443] : []),
            ...traces,
          ].toSorted(byText),
        )
        const isCalled = declaredArrows().some((arrow) => arrow.endsWith(` → ${component}`))
        expect(new Set(ingress.flatMap((rule) => portsOf(rule.ports)))).toEqual(
          new Set(['health', ...(isCalled ? ['rpc'] : []), ...(names.has('HTTP_PORT') ? ['http'] : [])]),
        )
        expect(ports.includes('http')).toBe(names.has('HTTP_PORT'))
      },
    )

    test('the internet of a process is not the network of the cluster', () => {
      const { egress } = policies.get('sending-infra')!
      const { to } = egress!.find(({ ports }) => portsOf(ports).includes(443))!
      expect(to!.flatMap(({ ipBlock }) => ipBlock?.except ?? [])).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
      )
    })

    test('a target of each process is a Service with a gRPC port', () => {
      const withGrpc = manifests
        .filter(({ kind, spec }) => kind === 'Service' && JSON.stringify(spec).includes('"grpc"'))
        .map(({ metadata }) => `${metadata.name}.mail.svc:${topology.ports['rpc']}`)
      for (const { container } of deploymentsOf(manifests))
        for (const { name, value } of container.env!) if (name.endsWith('_TARGET')) expect(withGrpc).toContain(value)
    })
  })

withHelm('network policies', () => {
  test('the edge, the metrics and the stores can be narrowed to their pods', () => {
    const policies = policiesOf(manifestsOf('production'))
    const { ingress, egress } = policies.get('gateway')!
    const from = (port: string) =>
      JSON.stringify(ingress!.filter(({ ports }) => portsOf(ports).includes(port)).map((rule) => rule.from))
    expect(from('http')).toContain('gateway-system')
    expect(from('health')).toContain('monitoring')
    const to = (port: number) =>
      JSON.stringify(egress!.filter(({ ports }) => portsOf(ports).includes(port)).map((rule) => rule.to))
    expect(to(4222)).toContain('"app.kubernetes.io/name":"nats"')
    expect(to(5432)).toContain('"cnpg.io/cluster":"lettergate-db"')
    expect(to(53)).toContain('kube-dns')
  })

  test('metrics are closed without a PodMonitor, and the test pod reaches only ports that show no data', () => {
    const policies = policiesOf(manifestsOf('default'))
    const { ingress } = policies.get('imports')!
    expect(
      ingress!.filter(({ ports }) => portsOf(ports).includes('health')).map(({ from }) => componentsIn(from)),
    ).toEqual([['test']])
    const reached = policies.get('test')!.egress!.flatMap(({ ports }) => portsOf(ports))
    expect(reached.toSorted(byText)).toEqual([53, 53, topology.ports['http'], topology.ports['health']])
  })

  test('the policy of the migrations is there before them, because they run before everything else of a release', () => {
    const manifests = manifestsOf('production')
    const [policy] = manifests.filter(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'lettergate-migration',
    )
    const hookOf = ({ metadata }: RenderedManifest) => ({
      events: metadata.annotations?.['helm.sh/hook'],
      weight: Number(metadata.annotations?.['helm.sh/hook-weight']),
    })
    const migrations = manifests.filter(({ kind }) => kind === 'Job')
    expect(migrations).not.toEqual([])
    for (const migration of migrations) {
      expect(hookOf(policy!).events).toBe(hookOf(migration).events)
      expect(hookOf(policy!).weight).toBeLessThan(hookOf(migration).weight)
    }
  })

  test('a service may get more rules, and only this service', () => {
    const rule = 'services.sending-infra.extraEgress[0].ports[0].port=8443'
    const changed = policiesOf(template('lettergate', `--set=${rule}`))
    const before = policiesOf(manifestsOf('default'))
    const different = [...changed].filter(([name, spec]) => JSON.stringify(spec) !== JSON.stringify(before.get(name)))
    expect(different.map(([name]) => name)).toEqual(['sending-infra'])
  })
})
