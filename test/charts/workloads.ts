import { load } from 'js-yaml'
import { read } from '@lettergate/guard/tree'
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { RenderedManifest } from './helm.ts'

export interface Topology {
  ports: Record<string, number>
  single: Record<string, number>
  services: Record<
    string,
    {
      schema?: string
      role?: string
      secrets?: string[]
      optionalSecrets?: string[]
      provider?: 'credentials' | 'signing'
      settings?: Record<string, string>
      calls?: Record<string, string>
      roles: Record<string, { ports: string[]; internet?: boolean }>
    }
  >
}

export const topology = load(read('charts/lettergate/topology.yaml')) as Topology

/** Every process of the chart: its component, its service and its role. */
export const processes = Object.entries(topology.services).flatMap(([service, facts]) =>
  Object.entries(facts.roles).map(([role, process]) => ({
    service,
    role,
    component: role === 'worker' ? `${service}-worker` : service,
    ports: process.ports,
    internet: process.internet ?? false,
  })),
)

export interface Workload {
  name: string
  kind: string
  component: string
  pod: IPodSpec
  container: IContainer
}

const podOf = ({ kind, spec }: RenderedManifest): IPodSpec | undefined => {
  if (kind === 'Pod') return spec as IPodSpec
  if (kind === 'CronJob') return (spec as ICronJob['spec'])!.jobTemplate.spec!.template.spec
  return (spec as { template?: { spec?: IPodSpec } } | undefined)?.template?.spec
}

/** Every container of the manifests, with its pod. */
export const workloadsOf = (manifests: readonly RenderedManifest[]): Workload[] =>
  manifests.flatMap((manifest) => {
    const pod = podOf(manifest)
    if (pod === undefined) return []
    const component = manifest.metadata.labels?.['app.kubernetes.io/component'] ?? manifest.metadata.name
    const containers = [...(pod.initContainers ?? []), ...pod.containers]
    return containers.map((container) => ({
      name: manifest.metadata.name,
      kind: manifest.kind,
      component,
      pod,
      container,
    }))
  })

/** Only the processes of services. */
export const deploymentsOf = (manifests: readonly RenderedManifest[]): Workload[] =>
  workloadsOf(manifests).filter(({ kind }) => kind === 'Deployment')
