import { expect, test } from '@jest/globals'
import { read } from '@lettergate/guard/tree'
import type { IService } from 'kubernetes-models/v1/Service'
import { withHelm, manifestsOf, template, variants } from './helm.ts'
import { deploymentsOf, processes, topology, workloadsOf } from './workloads.ts'

const numberIn = (path: string, pattern: RegExp) => Number(pattern.exec(read(path))![1]!.replaceAll('_', ''))

for (const variant of Object.keys(variants))
  withHelm(`with the values ${variant}`, () => {
    const manifests = manifestsOf(variant)
    const workloads = workloadsOf(manifests)
    const deployments = deploymentsOf(manifests)

    test('there is one deployment for each process', () => {
      expect(deployments.map(({ component }) => component).toSorted()).toEqual(
        processes.map(({ component }) => component).toSorted(),
      )
    })

    test('every container has requests and limits, and the restricted security context', () => {
      for (const { name, pod, container } of workloads) {
        const { requests, limits } = container.resources!
        expect({ name, requests: Object.keys(requests!), limits: Object.keys(limits!) }).toEqual({
          name,
          requests: expect.arrayContaining(['cpu', 'memory']),
          limits: expect.arrayContaining(['cpu', 'memory']),
        })
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          runAsUser: 65_532,
          seccompProfile: { type: 'RuntimeDefault' },
        })
        expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
        expect(pod).not.toHaveProperty('hostNetwork')
        expect(container.volumeMounts).toContainEqual({ name: 'tmp', mountPath: '/tmp' })
      }
    })

    test('no image is latest or without a version', () => {
      for (const { container } of workloads)
        expect(container.image).toMatch(/^[\w.-]+\/lettergate\/[a-z-]+:\d+\.\d+\.\d+$/)
    })

    test('every process has the three probes, at ports that it opens and paths that it serves', () => {
      const served = new Set(
        [...read('libs/service/src/health.ts').matchAll(/path === '(\/[\w/]+)'/g)].map(([, path]) => path!),
      )
      for (const { component, container } of deployments) {
        const { startupProbe, livenessProbe, readinessProbe } = container
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          expect({ component, probe }).toEqual({ component, probe: expect.anything() })
          const ports = container.ports!.flatMap(({ name, containerPort }) => [name, containerPort])
          expect(ports).toContain(probe!.httpGet?.port ?? probe!.grpc?.port)
          if (probe!.httpGet) expect([...served]).toContain(probe!.httpGet.path)
        }
        // An outage of NATS or of one service must not take every replica of the gateway out of its Service.
        expect([startupProbe, readinessProbe].map((probe) => probe!.httpGet!.path)).toEqual([
          '/readyz',
          '/readyz/process',
        ])
      }
    })

    test('every process opens the ports of its configuration, and a headless Service lists them', () => {
      for (const { service, component, ports } of processes) {
        const { container } = deployments.find((one) => one.component === component)!
        expect(container.ports!.map(({ name, containerPort }) => [name, containerPort])).toEqual(
          ports.map((port) => [port, topology.ports[port]]),
        )
        const environment = new Map(container.env!.map(({ name, value }) => [name, value]))
        for (const port of ['http', 'health', 'rpc'])
          expect([component, port, environment.get(`${port.toUpperCase()}_PORT`)]).toEqual([
            component,
            port,
            ports.includes(port) ? String(topology.ports[port]) : undefined,
          ])
        const headless = manifests.find(
          ({ kind, metadata }) => kind === 'Service' && metadata.name === `lettergate-${component}`,
        )
        const { clusterIP, publishNotReadyAddresses, selector } = headless!.spec as IService['spec'] & object
        // Readiness asks for connections in both directions, so Services that list only ready processes would list none.
        expect({ clusterIP, publishNotReadyAddresses }).toEqual({ clusterIP: 'None', publishNotReadyAddresses: true })
        expect(selector!['app.kubernetes.io/component']).toBe(component)
        expect(container.name).toBe(service)
      }
    })

    test('a process gets the time that its longest hand-off takes, after others have learned that it ends', () => {
      const stopMs = numberIn('libs/service/src/run.ts', /const forcedStopMs = ([\d_]+)/)
      const handOffMs = numberIn(
        'services/campaigns-delivery/src/config.ts',
        /'DELIVERY_HAND_OFF_TIMEOUT_MS', \{.* max: ([\d_]+)/,
      )
      const beginMs = numberIn('services/campaigns-delivery/src/delivery/hand-off.ts', /handOffWithinMs = ([\d_]+)/)
      expect(stopMs).toBeGreaterThanOrEqual(beginMs + handOffMs)
      for (const { component, pod, container } of deployments) {
        const command = container.lifecycle?.preStop?.exec?.command
        const drainMs = command === undefined ? 0 : Number(/, (\d+)\)$/.exec(command.at(-1)!)![1])
        const answers = container.ports!.some(({ name }) => name === 'rpc' || name === 'http')
        expect({ component, drains: drainMs > 0 }).toEqual({ component, drains: answers })
        expect(pod.terminationGracePeriodSeconds! * 1000).toBeGreaterThan(drainMs + stopMs)
      }
    })
  })

withHelm('workloads', () => {
  test('replicas are those of the values, unless a scaler decides', () => {
    const replicasOf = (variant: string) =>
      Object.fromEntries(
        manifestsOf(variant)
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ metadata, spec }) => [
            metadata.name.replace('lettergate-', ''),
            (spec as { replicas?: number }).replicas,
          ]),
      )
    expect(replicasOf('default')).toMatchObject({ gateway: 2, 'campaigns-delivery-worker': 2, 'nats-streams': 1 })
    expect(new Set(Object.values(replicasOf('minimal')))).toEqual(new Set([1]))
    expect(replicasOf('production')).toMatchObject({
      gateway: undefined,
      'campaigns-delivery-worker': undefined,
      'contacts-consent': 3,
    })
  })

  test('an image can be named by its digest', () => {
    const manifests = template('lettergate', '--set=image.digests.imports=sha256:0123')
    const images = workloadsOf(manifests).filter(({ container }) => container.image!.includes('@'))
    expect(images.map(({ name }) => name).toSorted()).toEqual([
      'lettergate-imports',
      'lettergate-imports-migrate',
      'lettergate-imports-worker',
    ])
  })

  test('two releases in one namespace share no name and no label', () => {
    const namesOf = (release: string) =>
      template('lettergate', `--set=fullnameOverride=${release}`).map(
        ({ kind, metadata }) => `${kind}/${metadata.name}`,
      )
    const [one, other] = [namesOf('first'), namesOf('second')]
    expect(one.filter((name) => other.includes(name))).toEqual([])
  })
})
