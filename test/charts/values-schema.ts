import { topology } from './workloads.ts'
import { configurationOf } from './configuration.ts'

const text = { type: 'string' }
const filled = { type: 'string', minLength: 1 }
const name = { type: 'string', pattern: '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$' }
const url = { type: 'string', pattern: '^https?://[^/]+' }
const flag = { type: 'boolean' }
const whole = (minimum: number, maximum?: number) => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
})
const port = whole(1, 65_535)
const listOf = (items: object) => ({ type: 'array', items })
const peers = listOf({ type: 'object' })
const map = { type: 'object', additionalProperties: text }
const duration = { type: 'string', pattern: '^[0-9]+(h|m|s)$' }
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
  properties,
})
/** A key of the mail provider; see named-secrets.ts of libs/service. */
const providerKey = { type: 'string', pattern: '^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$' }
const quantities = { type: 'object', required: ['cpu', 'memory'], additionalProperties: { type: ['string', 'number'] } }
const resources = object({ requests: quantities, limits: quantities }, ['requests', 'limits'])

/** Variables that the templates set for every service, and DRAIN_DELAY_MS, in place of which they have `drainSeconds`. */
const ofEveryService = [
  'ALLOW_PLAINTEXT_PEERS',
  'BIND_ADDRESS',
  'DRAIN_DELAY_MS',
  'HEALTH_PORT',
  'HTTP_BIND_ADDRESS',
  'HTTP_PORT',
  'LOG_LEVEL',
  'NATS_CA_FILE',
  'NATS_NAMESPACE',
  'NATS_URL',
  'ROLE',
  'RPC_PORT',
  'TLS_CA_FILE',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
]

/** The variables of a service that its values may set: neither secrets nor those that the chart sets. */
export async function freeVariables(service: string): Promise<string[]> {
  const { settings = {}, calls = {} } = topology.services[service]!
  const set = new Set([...ofEveryService, ...Object.keys(settings), ...Object.keys(calls)])
  const { variables } = await configurationOf(service)
  return Object.values(variables)
    .filter((variable) => !variable.secret && !set.has(variable.name))
    .map((variable) => variable.name)
    .toSorted()
}

async function serviceSchema(service: string) {
  const roles = Object.entries(topology.services[service]!.roles).map(([role, { ports }]) => {
    const scales = role === 'worker' || ports.includes('http')
    const properties = {
      replicas: whole(1),
      ...(scales ? { maxReplicas: whole(1) } : {}),
      ...(role === 'worker' ? { workPerReplica: whole(1) } : {}),
      heapMb: whole(64),
      youngHeapMb: whole(1),
      resources,
    }
    return [role, object(properties, ['replicas', 'heapMb', 'youngHeapMb', 'resources'])] as const
  })
  return object({
    secretName: name,
    config: {
      type: 'object',
      propertyNames: { enum: await freeVariables(service) },
      additionalProperties: { type: ['string', 'number', 'boolean'] },
    },
    extraEgress: peers,
    ...Object.fromEntries(roles),
  })
}

/** The JSON schema of the values of charts/lettergate, with the variables of each service from its configuration. */
export async function valuesSchema(): Promise<object> {
  const names = Object.keys(topology.services)
  const services = await Promise.all(names.map(async (service) => [service, await serviceSchema(service)] as const))
  const digest = { type: 'string', pattern: '^sha256:[0-9a-f]+$' }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: 'Made by "node test/charts/write-files.ts"; a test checks that it is current.',
    ...object({
      global: { type: 'object' },
      'lettergate-lib': { type: 'object' },
      fullnameOverride: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,34}[a-z0-9])?$' },
      baseUrl: { type: 'string', pattern: '^https?://[^/]+$' },
      environment: { enum: ['local', 'test', 'staging', 'production'] },
      logLevel: { enum: ['silent', 'error', 'warn', 'info', 'debug'] },
      ceilings: object({ productionSending: flag, testSends: flag, syntheticRehearsals: flag }),
      image: object({
        registry: filled,
        tag: { type: 'string', not: { const: 'latest' } },
        digests: { type: 'object', propertyNames: { enum: [...names, 'single'] }, additionalProperties: digest },
        pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
      }),
      imagePullSecrets: listOf(object({ name }, ['name'])),
      wallet: object({ baseUrl: url, clientId: filled }),
      provider: object({
        usBaseUrl: url,
        euBaseUrl: url,
        secretName: name,
        credentials: listOf(providerKey),
        signingKeys: listOf(providerKey),
      }),
      single: object({ enabled: flag, replicas: whole(1), heapMb: whole(64), youngHeapMb: whole(1), resources }),
      imports: object({ maxBytes: whole(1, 2_147_483_647), ttlHours: whole(1, 8_760), rowsKeepDays: whole(8, 36_500) }),
      database: object({
        cluster: name,
        name: filled,
        port,
        tls: object({ mode: { enum: ['', 'verify-full', 'no-verify'] }, caSecretName: name, caKey: text }),
        peers,
      }),
      migrations: object({ enabled: flag, secretName: name, lockTimeoutMs: whole(1), timeoutSeconds: whole(1) }),
      nats: object({
        url: { type: 'string', pattern: '^(nats|tls)://' },
        namespace: { type: 'string', pattern: '^[a-z0-9-]*$' },
        streamReplicas: whole(1, 5),
        caSecretName: name,
        caKey: text,
        port,
        peers,
      }),
      tls: object({
        mode: { enum: ['cert-manager', 'secrets', 'off'] },
        issuerRef: object({ name, kind: { enum: ['Issuer', 'ClusterIssuer'] }, group: text }),
        duration,
        renewBefore: duration,
      }),
      edge: object({
        trustedProxies: whole(0, 8),
        route: object({ parentRefs: listOf({ type: 'object', required: ['name'] }), annotations: map }),
        ingress: object({ enabled: flag, className: text, annotations: map, tlsSecretName: name }),
      }),
      networkPolicy: object({
        enabled: flag,
        edgePeers: peers,
        dnsPeers: peers,
        metricsPeers: peers,
        internet: peers,
        internetPorts: listOf(port),
      }),
      telemetry: object({ endpoint: { type: 'string', pattern: '^(https?://.+)?$' }, port, peers }),
      monitoring: object({ podMonitor: flag, rules: flag, dashboards: flag, labels: map }),
      keda: object({ enabled: flag, prometheusAddress: url, pollingIntervalSeconds: whole(1) }),
      hpa: object({ enabled: flag, targetCpuPercent: whole(1, 100) }),
      podDisruptionBudget: object({ enabled: flag }),
      tests: object({ enabled: flag }),
      // A process ends 20 s after SIGTERM at the latest, and kubelet must not end it earlier.
      drainSeconds: whole(1, 5),
      terminationGracePeriodSeconds: whole(26),
      podAnnotations: map,
      nodeSelector: map,
      tolerations: peers,
      priorityClassName: name,
      services: object(Object.fromEntries(services)),
    }),
  }
}
