import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { streamKeeper } from '@lettergate/nats/users'
import { certificateFiles } from '@lettergate/stage/certificate-files'
import { roleUrl } from '@lettergate/stage/roles'
import type { LauncherConfig } from './config.ts'
import type { Secrets } from './state.ts'

/** One process of the stack: its program, its environment, and the URL of its readiness. */
export interface ProcessPlan {
  name: string
  role: string
  /** 1 for the first one */
  replica: number
  main: string
  environment: Record<string, string>
  healthUrl: string
}

export interface ProcessEnvironment {
  config: LauncherConfig
  secrets: Secrets
  /** the URL of the database's administrator */
  databaseUrl: string
  natsUrl: string
  natsNamespace: string
  /** whether the launcher started the broker, so that it has the users of `secrets.natsSeeds` */
  natsHasUsers: boolean
  /** the port with that name, which stays the same after restarts */
  port: (name: string) => number
}

/** The environment of every process of a stack, without the ports. */
export const surroundingsOf = (
  config: LauncherConfig,
  secrets: Secrets,
  { databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string },
): Omit<ProcessEnvironment, 'port'> => ({
  config,
  secrets,
  databaseUrl,
  natsUrl,
  natsHasUsers: !config.natsUrl,
  natsNamespace: config.natsUrl
    ? `s${createHash('sha256').update(config.stateDirectory).digest('hex').slice(0, 8)}`
    : '',
})

/** The complete environment of a process: the directory of Node's compile cache, the caller's variables, the stack's settings. */
export const environmentOf = (config: LauncherConfig, plan: ProcessPlan): Record<string, string> => ({
  NODE_COMPILE_CACHE: join(config.stateDirectory, 'compile-cache'),
  ...config.environment,
  ...plan.environment,
  OTEL_SERVICE_NAME: programOf(plan),
})

/** The name of a program, which its replicas share. */
export const programOf = (entry: { name: string; role: string }): string =>
  entry.role === 'worker' ? `${entry.name}-worker` : entry.name

/** The name of one process: `gateway`, and `gateway-2` for its second replica. */
export const labelOf = (entry: { name: string; role: string; replica: number }): string =>
  entry.replica === 1 ? programOf(entry) : `${programOf(entry)}-${entry.replica}`

/** The directory with the certificates of the services and the key of their authority. */
export const certificatesIn = (stateDirectory: string): string => join(stateDirectory, 'certificates')

/** The pages of the console, which `make` builds. */
const consoleDirectory = new URL('../../../services/console/dist', import.meta.url).pathname
const withConsole = (plan: ProcessPlan): ProcessPlan => ({
  ...plan,
  environment: { ...plan.environment, CONSOLE_DIRECTORY: consoleDirectory },
})

/** Workers that answer no calls. */
const silent = new Set(['imports-worker', 'automations-worker'])

/** The time in which the edge and the other services learn that a replica is about to stop. */
const drainDelayMs = '2000'

const local = (port: number) => `127.0.0.1:${port}`
const http = (port: number) => `http://${local(port)}`

const settings = new RegExp(
  `^(${[
    'ALERT_',
    'ALLOW_',
    'AUDIT_',
    'AUTOMATION_',
    'CAMPAIGN_WEBHOOK_',
    'CONNECTION_',
    'CONSENT_CHECK_',
    'CONTACT_',
    'CONTENT_',
    'DATABASE_(LONG_)?POOL_MAX',
    'DELIVERY_',
    'DEPLOYMENT_',
    'DNS_',
    'DOMAIN_',
    'DRAIN_DELAY_',
    'IMPORT_',
    'MAILGUN_',
    'MAILPROVIDER_',
    'NATS_CA_FILE',
    'OTEL_',
    'PREFERENCE_',
    'PROVIDER_',
    'RATE_LIMIT_',
    'REHEARSAL_',
    'REJECTED_CREDENTIAL_',
    'RPC_TIMEOUT_',
    'RUN_',
    'SNAPSHOTS_',
    'SYNTHETIC_',
    'TEST_',
    'UPLOAD',
    'WALLET_VALIDATION',
    'WEBHOOK_BODY_',
  ].join('|')})`,
)

/** The caller's settings that the stack passes to the services; a change restarts the process. */
export const settingsOf = ({ environment }: LauncherConfig): [string, string][] =>
  Object.entries(environment).filter(([name]) => settings.test(name))

/** Every process of the local stack, in start order. Services get only URLs and keys, and do not know that they are local. */
export function planProcesses({
  config,
  secrets,
  databaseUrl,
  natsUrl,
  natsNamespace,
  natsHasUsers,
  port,
}: ProcessEnvironment): ProcessPlan[] {
  const baseUrl = http(config.port)
  const replicas = Array.from({ length: config.replicas }, (_, index) => index + 1)
  /** The port of one replica of a program. */
  const portOf = (program: string, kind: string, replica: number) =>
    port(`${program}${replica === 1 ? '' : `-${replica}`}.${kind}`)
  const urlsOf = (program: string, kind: string) =>
    replicas.map((replica) => http(portOf(program, kind, replica))).join(',')
  /** The addresses of all replicas of a program, as the headless Service of a cluster gives them. */
  const target = (program: string) => {
    const addresses = replicas.map((replica) => local(portOf(program, 'rpc', replica)))
    return addresses.length === 1 ? addresses[0]! : `ipv4:${addresses.join(',')}`
  }
  const ownCollector = config.traces && !config.environment.OTEL_EXPORTER_OTLP_ENDPOINT
  const targets = {
    IDENTITY_TARGET: target('gateway'),
    CONTACTS_CONSENT_TARGET: target('contacts-consent'),
    SENDING_INFRA_TARGET: target('sending-infra'),
    CAMPAIGNS_DELIVERY_TARGET: target('campaigns-delivery'),
    CAMPAIGNS_WORKER_TARGET: target('campaigns-delivery-worker'),
    IMPORTS_TARGET: target('imports'),
    AUTOMATIONS_TARGET: target('automations'),
    WEBHOOK_INTAKE_TARGET: target('webhook-intake'),
  }
  const outside = {
    BASE_URL: baseUrl,
    WALLET_BASE_URL: http(port('wallet')),
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: secrets.walletClientSecret,
    MAILPROVIDER_US_BASE_URL: http(port('mail-provider')),
    MAILPROVIDER_EU_BASE_URL: http(port('mail-provider')),
    MAILPROVIDER_API_KEY: 'dev-api-key',
    MAILPROVIDER_WEBHOOK_SIGNING_KEY: 'dev-webhook-signing-key',
    DNS_SERVERS: local(port('dns')),
  }
  const shared = {
    ...outside,
    ...targets,
    LOG_LEVEL: config.logLevel,
    DEPLOYMENT_ENVIRONMENT: config.environment.DEPLOYMENT_ENVIRONMENT ?? 'local',
    BIND_ADDRESS: '127.0.0.1',
    HTTP_BIND_ADDRESS: '127.0.0.1',
    SERVICE_API_KEY: 'dev-service-key',
    PREFERENCE_SIGNING_KEYS: secrets.preferenceSigningKeys,
    CONSENT_PROOF_SIGNING_KEY: secrets.consentProofSigningKey,
    ERASURE_HASH_KEYS: secrets.erasureHashKeys,
    CAMPAIGN_WEBHOOK_KEYS: secrets.campaignWebhookKeys,
    CAMPAIGN_WEBHOOK_ALLOW_PRIVATE: 'true',
    IMPORT_KEYS: secrets.importKeys,
    VALIDATE_RESPONSES: config.environment.VALIDATE_RESPONSES ?? 'true',
    TRUSTED_PROXIES: '1',
    ...(config.replicas > 1 ? { DRAIN_DELAY_MS: config.environment.DRAIN_DELAY_MS ?? drainDelayMs } : {}),
    ...(ownCollector
      ? {
          OTEL_EXPORTER_OTLP_ENDPOINT: http(port(config.jaeger ? 'traces.otlp' : 'traces')),
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
          OTEL_TRACES_EXPORTER: 'otlp',
          OTEL_METRICS_EXPORTER: 'none',
          OTEL_LOGS_EXPORTER: 'none',
          // traces are visible half a second after they end instead of five
          OTEL_BSP_SCHEDULE_DELAY: '500',
        }
      : {}),
  }

  const broker = (user: string) => ({
    NATS_URL: natsUrl,
    NATS_NAMESPACE: natsNamespace,
    NATS_NKEY_SEED: natsHasUsers ? secrets.natsSeeds[user]! : '',
  })
  const service = (name: string, databaseRole: string, role = '', isHttp = false): ProcessPlan[] =>
    replicas.map((replica) => replicaOf(replica, { name, databaseRole, role, isHttp }))
  const replicaOf = (
    replica: number,
    { name, databaseRole, role, isHttp }: { name: string; databaseRole: string; role: string; isHttp: boolean },
  ): ProcessPlan => {
    const key = role && role !== 'api' ? `${name}-${role}` : name
    const tls = certificateFiles(certificatesIn(config.stateDirectory), name)
    return {
      name,
      role: role || 'service',
      replica,
      main: `services/${name}/src/main.ts`,
      healthUrl: http(portOf(key, 'health', replica)),
      environment: {
        ...shared,
        ...broker(name),
        DATABASE_URL: roleUrl(databaseUrl, databaseRole),
        TLS_CA_FILE: tls.ca,
        TLS_CERT_FILE: tls.cert,
        TLS_KEY_FILE: tls.key,
        ROLE: role,
        RPC_PORT: silent.has(key) ? '0' : String(portOf(key, 'rpc', replica)),
        HEALTH_PORT: String(portOf(key, 'health', replica)),
        ...(isHttp ? { HTTP_PORT: String(portOf(name, 'http', replica)) } : {}),
      },
    }
  }
  const standIn = (name: string, portName: string, environment: Record<string, string>): ProcessPlan => ({
    name,
    role: 'stand-in',
    replica: 1,
    main: `deploy/local/${name}/main.ts`,
    healthUrl: http(port(portName)),
    environment,
  })

  return [
    ...(ownCollector && config.jaeger
      ? [
          standIn('jaeger', 'traces.health', {
            JAEGER_PROGRAM: config.jaeger,
            JAEGER_UI_PORT: String(port('traces')),
            JAEGER_OTLP_PORT: String(port('traces.otlp')),
            JAEGER_HEALTH_PORT: String(port('traces.health')),
          }),
        ]
      : []),
    ...(ownCollector && !config.jaeger ? [standIn('traces', 'traces', { TRACES_PORT: String(port('traces')) })] : []),
    standIn('wallet', 'wallet', { ...outside, WALLET_PORT: String(port('wallet')) }),
    standIn('mail-provider', 'mail-provider', {
      ...outside,
      MAILPROVIDER_PORT: String(port('mail-provider')),
      DNS_PORT: String(port('dns')),
      MAILPROVIDER_STATE_FILE: `${config.stateDirectory}/mail-provider.json`,
    }),
    {
      name: streamKeeper,
      role: 'service',
      replica: 1,
      main: 'deploy/nats/src/main.ts',
      healthUrl: http(port(`${streamKeeper}.health`)),
      environment: {
        ...broker(streamKeeper),
        LOG_LEVEL: config.logLevel,
        BIND_ADDRESS: '127.0.0.1',
        HEALTH_PORT: String(port(`${streamKeeper}.health`)),
      },
    },
    ...service('contacts-consent', 'contacts'),
    ...service('gateway', 'identity', '', true).map(withConsole),
    ...service('sending-infra', 'sending'),
    ...service('campaigns-delivery', 'campaigns', 'api'),
    ...service('campaigns-delivery', 'campaigns', 'worker'),
    ...service('webhook-intake', 'webhooks', '', true),
    ...service('imports', 'imports', 'api'),
    ...service('imports', 'imports', 'worker'),
    ...service('automations', 'automations', 'api'),
    ...service('automations', 'automations', 'worker'),
    {
      name: 'edge',
      role: 'stand-in',
      replica: 1,
      main: 'deploy/local/edge/main.ts',
      healthUrl: `http://${local(port('edge.health'))}`,
      environment: {
        EDGE_PORT: String(config.port),
        EDGE_HEALTH_PORT: String(port('edge.health')),
        GATEWAY_URL: urlsOf('gateway', 'http'),
        GATEWAY_HEALTH_URL: urlsOf('gateway', 'health'),
        WEBHOOK_INTAKE_URL: urlsOf('webhook-intake', 'http'),
        WEBHOOK_INTAKE_HEALTH_URL: urlsOf('webhook-intake', 'health'),
      },
    },
  ]
}
