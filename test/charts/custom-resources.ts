// The fields of custom resources that the charts use, as their documentation spells them. Anything else does not compile.
import type { IServiceAccount } from 'kubernetes-models/v1/ServiceAccount'

interface Resource<V extends string, K extends string, S> {
  apiVersion: V
  kind: K
  metadata: NonNullable<IServiceAccount['metadata']>
  spec: S
}

interface IssuerRef {
  name: string
  kind?: 'Issuer' | 'ClusterIssuer'
  group?: string
}

/** https://cert-manager.io/docs/reference/api-docs/#cert-manager.io/v1.Certificate */
export type ICertificate = Resource<
  'cert-manager.io/v1',
  'Certificate',
  {
    secretName: string
    commonName?: string
    dnsNames?: string[]
    isCA?: boolean
    usages?: ('server auth' | 'client auth')[]
    duration?: string
    renewBefore?: string
    privateKey?: { algorithm?: 'RSA' | 'ECDSA' | 'Ed25519'; size?: number; rotationPolicy?: 'Never' | 'Always' }
    issuerRef: IssuerRef
  }
>

/** https://cert-manager.io/docs/reference/api-docs/#cert-manager.io/v1.Issuer */
export type IIssuer = Resource<
  'cert-manager.io/v1',
  'Issuer',
  { selfSigned: Record<string, never> } | { ca: { secretName: string } }
>

/** https://keda.sh/docs/latest/reference/scaledobject-spec, with the scaler https://keda.sh/docs/latest/scalers/prometheus */
export type IScaledObject = Resource<
  'keda.sh/v1alpha1',
  'ScaledObject',
  {
    scaleTargetRef: { apiVersion?: string; kind?: string; name: string }
    pollingInterval?: number
    cooldownPeriod?: number
    minReplicaCount?: number
    maxReplicaCount?: number
    fallback?: { failureThreshold: number; replicas: number }
    advanced?: {
      horizontalPodAutoscalerConfig?: { behavior?: { scaleDown?: { stabilizationWindowSeconds?: number } } }
    }
    triggers: {
      type: 'prometheus'
      metricType?: 'AverageValue' | 'Value'
      metadata: { serverAddress: string; query: string; threshold: string }
    }[]
  }
>

/** https://gateway-api.sigs.k8s.io/reference/spec/#httproute */
export type IHTTPRoute = Resource<
  'gateway.networking.k8s.io/v1',
  'HTTPRoute',
  {
    parentRefs: { name: string; namespace?: string; sectionName?: string; port?: number }[]
    hostnames?: string[]
    rules: {
      matches: { path: { type: 'Exact' | 'PathPrefix'; value: string } }[]
      backendRefs: { name: string; port: number; weight?: number }[]
    }[]
  }
>

/** https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PodMonitor */
export type IPodMonitor = Resource<
  'monitoring.coreos.com/v1',
  'PodMonitor',
  {
    selector: { matchLabels: Record<string, string> }
    podMetricsEndpoints: { port: string; path?: string; interval?: string; honorLabels?: boolean }[]
  }
>

interface Rule {
  expr: string
  for?: string
  keep_firing_for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

/** https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.PrometheusRule */
export type IPrometheusRule = Resource<
  'monitoring.coreos.com/v1',
  'PrometheusRule',
  {
    groups: {
      name: string
      interval?: string
      limit?: number
      rules: (Rule & ({ alert: string } | { record: string }))[]
    }[]
  }
>

interface PluginOfCluster {
  name: string
  enabled?: boolean
  isWALArchiver?: boolean
  parameters?: Record<string, string>
}

/** https://cloudnative-pg.io/documentation/current/cloudnative-pg.v1 */
export type IScheduledBackup = Resource<
  'postgresql.cnpg.io/v1',
  'ScheduledBackup',
  {
    schedule: string
    immediate?: boolean
    backupOwnerReference?: 'none' | 'self' | 'cluster'
    cluster: { name: string }
    method?: 'barmanObjectStore' | 'volumeSnapshot' | 'plugin'
    pluginConfiguration?: { name: string; parameters?: Record<string, string> }
  }
>

/** https://cloudnative-pg.io/documentation/current/cloudnative-pg.v1 */
export type ICluster = Resource<
  'postgresql.cnpg.io/v1',
  'Cluster',
  {
    instances: number
    imageName?: string
    primaryUpdateStrategy?: 'unsupervised' | 'supervised'
    storage: { size: string; storageClass?: string }
    walStorage?: { size: string; storageClass?: string }
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
    affinity?: { enablePodAntiAffinity?: boolean; topologyKey?: string; podAntiAffinityType?: 'preferred' | 'required' }
    monitoring?: { enablePodMonitor?: boolean }
    backup?: Record<string, unknown>
    plugins?: PluginOfCluster[]
    externalClusters?: { name: string; barmanObjectStore?: Record<string, unknown>; plugin?: PluginOfCluster }[]
    bootstrap?: {
      recovery?: { source: string; database?: string; owner?: string; recoveryTarget?: { targetTime?: string } }
      initdb?: {
        database: string
        owner: string
        dataChecksums?: boolean
        encoding?: string
        localeCType?: string
        localeCollate?: string
        postInitApplicationSQL?: string[]
      }
    }
    managed?: {
      roles: {
        name: string
        ensure?: 'present' | 'absent'
        comment?: string
        login?: boolean
        superuser?: boolean
        inherit?: boolean
        createdb?: boolean
        createrole?: boolean
        replication?: boolean
        bypassrls?: boolean
        inRoles?: string[]
        passwordSecret?: { name: string }
      }[]
    }
    postgresql?: {
      parameters?: Record<string, string>
      synchronous?: { method: 'any' | 'first'; number: number; dataDurability?: 'required' | 'preferred' }
    }
  }
>

/** The types of this file by `apiVersion/kind`. */
export const customResources: Record<string, string> = {
  'cert-manager.io/v1/Certificate': 'ICertificate',
  'cert-manager.io/v1/Issuer': 'IIssuer',
  'keda.sh/v1alpha1/ScaledObject': 'IScaledObject',
  'gateway.networking.k8s.io/v1/HTTPRoute': 'IHTTPRoute',
  'monitoring.coreos.com/v1/PodMonitor': 'IPodMonitor',
  'monitoring.coreos.com/v1/PrometheusRule': 'IPrometheusRule',
  'postgresql.cnpg.io/v1/Cluster': 'ICluster',
  'postgresql.cnpg.io/v1/ScheduledBackup': 'IScheduledBackup',
}
