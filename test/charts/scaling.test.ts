import { expect, test } from '@jest/globals'
import { parser } from '@prometheus-io/lezer-promql'
import { filesBelow, read } from '@lettergate/guard/tree'
import type { IScaledObject } from './custom-resources.ts'
import { withHelm, manifestsOf, template } from './helm.ts'
import { processes } from './workloads.ts'

const scaledObjects = () =>
  manifestsOf('production').filter(({ kind }) => kind === 'ScaledObject') as unknown as IScaledObject[]

/** The names of metrics and the values of labels in a query. Throws if it is not PromQL. */
function readQuery(query: string): { metrics: string[]; labels: Record<string, string> } {
  const metrics: string[] = []
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${query}`)
      if (type.name === 'Identifier' && query.startsWith('lettergate_', from)) metrics.push(query.slice(from, to))
    },
  })
  const labels = Object.fromEntries([...query.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, name, value]) => [name!, value!]))
  return { metrics, labels }
}

/** The names of metrics in the sources of a service. */
const metricsOf = (service: string): Set<string> =>
  new Set(
    filesBelow(`services/${service}/src`).flatMap((path) =>
      [...read(path).matchAll(/'(lettergate_[a-z_]+)'/g)].map(([, name]) => name!),
    ),
  )

withHelm('scaling', () => {
  test('every worker that delivers, imports or does steps scales on its work, the processes with HTTP on processor time', () => {
    const targets = (kind: string) =>
      manifestsOf('production')
        .filter((one) => one.kind === kind)
        .map(({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name)
    expect(targets('ScaledObject').toSorted()).toEqual(
      processes
        .filter(({ role }) => role === 'worker')
        .map(({ component }) => `lettergate-${component}`)
        .toSorted(),
    )
    expect(targets('HorizontalPodAutoscaler').toSorted()).toEqual(
      processes
        .filter(({ ports }) => ports.includes('http'))
        .map(({ component }) => `lettergate-${component}`)
        .toSorted(),
    )
    for (const kind of ['ScaledObject', 'HorizontalPodAutoscaler'])
      expect(manifestsOf('default').filter((one) => one.kind === kind)).toEqual([])
  })

  test('the queries ask for metrics that the worker exports, by labels that it has', () => {
    for (const { metadata, spec } of scaledObjects()) {
      const service = metadata.name!.replace(/^lettergate-(.*)-worker$/, '$1')
      const sources = metricsOf(service)
      const { metrics, labels } = readQuery(spec.triggers[0]!.metadata.query)
      expect(metrics.length).toBeGreaterThan(0)
      expect(metrics.filter((metric) => !sources.has(metric))).toEqual([])
      expect(labels).toMatchObject({ namespace: 'mail', service, role: 'worker' })
    }
  })

  test('the help of the metrics of delivery says that workers are scaled on them', () => {
    const { spec } = scaledObjects().find(({ metadata }) => metadata.name === 'lettergate-campaigns-delivery-worker')!
    const { metrics } = readQuery(spec.triggers[0]!.metadata.query)
    expect(metrics.toSorted()).toEqual(['lettergate_automation_emails_due', 'lettergate_batches_due'])
    const sources = filesBelow('services/campaigns-delivery/src').map(read).join('\n')
    const says = (metric: string) =>
      new RegExp(`'${metric}',\\s+(?:help: )?'[^']*what workers are scaled on`).test(sources)
    expect(metrics.filter((metric) => !says(metric))).toEqual([])
  })

  test('imports count as work in the states in which a worker has something to do', () => {
    const { spec } = scaledObjects().find(({ metadata }) => metadata.name === 'lettergate-imports-worker')!
    const { labels } = readQuery(spec.triggers[0]!.metadata.query)
    const statuses = [...read('services/imports/src/jobs/import-status.ts').matchAll(/^  '(\w+)',$/gm)].map(
      ([, status]) => status!,
    )
    expect(statuses).toEqual(expect.arrayContaining(labels['status']!.split('|')))
    expect(labels['status']!.split('|')).toEqual(statuses.filter((status) => /queued|running|applying/.test(status)))
  })

  test('is refused when nobody may read the metrics, because the number of workers would never change', () => {
    expect(() => template('lettergate', '--set=keda.enabled=true')).toThrow('needs monitoring.podMonitor')
    expect(template('lettergate', '--set=keda.enabled=true,monitoring.podMonitor=true')).not.toEqual([])
  })

  test('is refused with more replicas than the most that it may start, because Kubernetes refuses that after the migrations', () => {
    const scaled = '--set=hpa.enabled=true,keda.enabled=true,monitoring.podMonitor=true'
    for (const process of ['gateway.service', 'imports.worker'])
      expect(() => template('lettergate', scaled, `--set=services.${process}.replicas=30`)).toThrow('maxReplicas')
    expect(template('lettergate', '--set=services.gateway.service.replicas=30')).not.toEqual([])
  })

  test('at least one worker stays, because the workers report what is due', () => {
    for (const { spec } of scaledObjects()) {
      expect(spec.minReplicaCount).toBeGreaterThanOrEqual(1)
      expect(spec.maxReplicaCount).toBeGreaterThan(spec.minReplicaCount!)
      expect(spec.fallback!.replicas).toBe(spec.minReplicaCount)
    }
  })
})
