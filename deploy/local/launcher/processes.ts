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
  OTEL_SERVICE_NAME: labelOf(plan),
})

export const labelOf = (entry: { name: string; role: string }): string =>
  entry.role === 'worker' ? `${entry.name}-worker` : entry.name

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
  const ownCollector = config.traces && !config.environment.OTEL_EXPORTER_OTLP_ENDPOINT
  const targets = {
    IDENTITY_TARGET: local(port('gateway.rpc')),
    CONTACTS_CONSENT_TARGET: local(port('contacts-consent.rpc')),
    SENDING_INFRA_TARGET: local(port('sending-infra.rpc')),
    CAMPAIGNS_DELIVERY_TARGET: local(port('campaigns-delivery.rpc')),
    CAMPAIGNS_WORKER_TARGET: local(port('campaigns-delivery-worker.rpc')),
    IMPORTS_TARGET: local(port('imports.rpc')),
    AUTOMATIONS_TARGET: local(port('automations.rpc')),
    WEBHOOK_INTAKE_TARGET: local(port('webhook-intake.rpc')),
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
  const service = (name: string, databaseRole: string, role = '', http = false): ProcessPlan => {
    const key = role && role !== 'api' ? `${name}-${role}` : name
    const tls = certificateFiles(certificatesIn(config.stateDirectory), name)
    return {
      name,
      role: role || 'service',
      main: `services/${name}/src/main.ts`,
      healthUrl: `http://${local(port(`${key}.health`))}`,
      environment: {
        ...shared,
        ...broker(name),
        DATABASE_URL: roleUrl(databaseUrl, databaseRole),
        TLS_CA_FILE: tls.ca,
        TLS_CERT_FILE: tls.cert,
        TLS_KEY_FILE: tls.key,
        ROLE: role,
        RPC_PORT: silent.has(key) ? '0' : String(port(`${key}.rpc`)),
        HEALTH_PORT: String(port(`${key}.health`)),
        ...(http ? { HTTP_PORT: String(port(`${name}.http`)) } : {}),
      },
    }
  }
  const standIn = (name: string, portName: string, environment: Record<string, string>): ProcessPlan => ({
    name,
    role: 'stand-in',
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
      main: 'deploy/nats/src/main.ts',
      healthUrl: http(port(`${streamKeeper}.health`)),
      environment: {
        ...broker(streamKeeper),
        LOG_LEVEL: config.logLevel,
        BIND_ADDRESS: '127.0.0.1',
        HEALTH_PORT: String(port(`${streamKeeper}.health`)),
      },
    },
    service('contacts-consent', 'contacts'),
    withConsole(service('gateway', 'identity', '', true)),
    service('sending-infra', 'sending'),
    service('campaigns-delivery', 'campaigns', 'api'),
    service('campaigns-delivery', 'campaigns', 'worker'),
    service('webhook-intake', 'webhooks', '', true),
    service('imports', 'imports', 'api'),
    service('imports', 'imports', 'worker'),
    service('automations', 'automations', 'api'),
    service('automations', 'automations', 'worker'),
    {
      name: 'edge',
      role: 'stand-in',
      main: 'deploy/local/edge/main.ts',
      healthUrl: `http://${local(port('edge.health'))}`,
      environment: {
        EDGE_PORT: String(config.port),
        EDGE_HEALTH_PORT: String(port('edge.health')),
        GATEWAY_URL: http(port('gateway.http')),
        WEBHOOK_INTAKE_URL: http(port('webhook-intake.http')),
      },
    },
  ]
}
