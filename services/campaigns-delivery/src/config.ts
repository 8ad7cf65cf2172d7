import {
  ConfigError,
  choice,
  commonVariables,
  environmentVariable,
  flag,
  integer,
  list,
  readConfig,
  text,
  url,
  type ConfigOf,
  type Variable,
} from '@lettergate/service/config'
import { namedSecrets } from '@lettergate/service/named-secrets'
import { sealingKeys } from '@lettergate/sealing'
import type { ConnectionLimits } from './delivery/claim.ts'
import type { BreakerLimits } from './runs/run-breaker.ts'
import { parseAllowlist, type Allowlist } from './testing/allowlist.ts'

const percent = (name: string, fallback: number): Variable<number> => ({
  name,
  secret: false,
  fallback: String(fallback),
  parse: (raw) => {
    const value = Number(raw)
    if (!/^\d{1,3}(\.\d{1,4})?$/.test(raw) || value > 100) throw new Error('must be a percentage from 0 to 100')
    return value
  },
})

export const variables = {
  ...commonVariables,
  /** `api` answers calls; `worker` delivers, consumes events and runs the jobs. */
  role: choice('ROLE', ['api', 'worker']),
  identityTarget: text('IDENTITY_TARGET'),
  contactsTarget: text('CONTACTS_CONSENT_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  importsTarget: text('IMPORTS_TARGET'),
  webhooksTarget: text('WEBHOOK_INTAKE_TARGET'),
  providerUsBaseUrl: url('MAILPROVIDER_US_BASE_URL'),
  providerEuBaseUrl: url('MAILPROVIDER_EU_BASE_URL'),
  /** Batches that one worker prepares concurrently. Batches that only wait for the provider do not count. */
  deliveryConcurrency: integer('DELIVERY_CONCURRENCY', { default: 8, min: 1, max: 64 }),
  /**
   * Concurrent provider calls of one worker. A share is kept free, so that no connection or workspace can use
   * all of them.
   */
  deliveryCallsAtOnce: integer('DELIVERY_CALLS_AT_ONCE', { default: 64, min: 1, max: 256 }),
  /** Concurrent calls that hand messages off through one connection, over all workers. */
  connectionHandOffsAtOnce: integer('CONNECTION_HAND_OFFS_AT_ONCE', { default: 16, min: 1, max: 1_000 }),
  /** Messages a second through one connection, over all workers; 0 means no limit. */
  connectionMessagesPerSecond: integer('CONNECTION_MESSAGES_PER_SECOND', { default: 0, min: 0, max: 1_000_000 }),
  /** Recipients of one batch, which is one call to the provider. Fixed for a run when it is scheduled. */
  deliveryBatchSize: integer('DELIVERY_BATCH_SIZE', { default: 100, min: 1, max: 1_000 }),
  /** Timeout of a messages call to the provider, after which its result counts as unknown. A process that stops waits for it, at most 20 s. */
  handOffTimeoutMs: integer('DELIVERY_HAND_OFF_TIMEOUT_MS', { default: 15_000, min: 100, max: 18_000 }),
  /** Longest delay after its scheduled time with which a run still starts. A later run is paused and an alert is raised. */
  runLateMaxSeconds: integer('RUN_LATE_MAX_SECONDS', { default: 21_600, min: 1, max: 604_800 }),
  /** Fault injection for crash tests: the worker stops forever at this point of its first hand-off. Refused in production. */
  deliveryPauseAt: choice('DELIVERY_PAUSE_AT', ['never', 'after_intent', 'after_handoff'], { default: 'never' }),
  /** Addresses and `@domain` entries that may receive test messages. Empty: none. */
  testRecipientAllowlist: list('TEST_RECIPIENT_ALLOWLIST', { default: [] }),
  /** Test sends and rehearsals of one workspace per hour, and per day. */
  testSendHourlyCap: integer('TEST_SEND_HOURLY_CAP', { default: 20, min: 0, max: 10_000 }),
  testSendDailyCap: integer('TEST_SEND_DAILY_CAP', { default: 100, min: 0, max: 10_000 }),
  /** Timeout of a rehearsal for its events. */
  rehearsalDeadlineSeconds: integer('REHEARSAL_DEADLINE_SECONDS', { default: 900, min: 1, max: 86_400 }),
  /** A real run as large as a synthetic rehearsal should take at most this long. */
  syntheticRehearsalTargetSeconds: integer('SYNTHETIC_REHEARSAL_TARGET_SECONDS', { default: 60, min: 1, max: 86_400 }),
  /** Threads of the api that sanitise content. */
  contentThreads: integer('CONTENT_THREADS', { default: 2, min: 1, max: 16 }),
  /** Content versions that may wait for such a thread. More are refused with 503. */
  contentQueueMax: integer('CONTENT_QUEUE_MAX', { default: 32, min: 1, max: 1_000 }),
  /** Heap of one such thread. The largest allowed content needs about half of it. */
  contentThreadMemoryMb: integer('CONTENT_THREAD_MEMORY_MB', { default: 256, min: 128, max: 4_096 }),
  /**
   * Encrypts the signing secrets of campaign webhooks in the database: `kid:base64url,…`, 256 bits each. The first key
   * encrypts, all keys decrypt. Without a key no secret can be set.
   */
  campaignWebhookKeys: sealingKeys('CAMPAIGN_WEBHOOK_KEYS'),
  /** Allows campaign webhooks with http, any port and private addresses, for a stack on one machine. */
  campaignWebhookAllowPrivate: flag('CAMPAIGN_WEBHOOK_ALLOW_PRIVATE', { default: false }),
  /** Timeout of one attempt to deliver a campaign webhook, from the DNS lookup to the end of the response. */
  campaignWebhookTimeoutMs: integer('CAMPAIGN_WEBHOOK_TIMEOUT_MS', { default: 15_000, min: 100, max: 30_000 }),
  /** How long deliveries of campaign webhooks are kept after they were settled. */
  campaignWebhookDeliveryDays: integer('CAMPAIGN_WEBHOOK_DELIVERY_DAYS', { default: 90, min: 1, max: 3_650 }),
  /**
   * The run breaker pauses a run when the percentage of complaints, or of hard bounces, among its settled recipients exceeds this.
   * 100 turns it off.
   */
  runBreakerComplaintRate: percent('RUN_BREAKER_COMPLAINT_RATE', 0.3),
  runBreakerHardBounceRate: percent('RUN_BREAKER_HARD_BOUNCE_RATE', 5),
  /** Recipients that must have settled since the run was last resumed before these limits apply. */
  runBreakerSettledMin: integer('RUN_BREAKER_SETTLED_MIN', { default: 200, min: 1, max: 1_000_000 }),
  /**
   * Concurrent snapshots, over all workers and of one workspace. contacts-consent streams at most
   * `DATABASE_LONG_POOL_MAX` minus two concurrently.
   */
  snapshotsAtOnce: integer('SNAPSHOTS_AT_ONCE', { default: 4, min: 1, max: 100 }),
  snapshotsPerWorkspace: integer('SNAPSHOTS_PER_WORKSPACE', { default: 2, min: 1, max: 100 }),
  /** Database connections of one process that are reserved for snapshots and exports. */
  databaseLongPoolMax: integer('DATABASE_LONG_POOL_MAX', { default: 6, min: 2, max: 200 }),
  ...environmentVariable,
}

export type Config = ConfigOf<typeof variables> & {
  /** Returns the provider credential for an environment key, or undefined. The value is only ever sent to the provider. */
  readonly credential: (key: string) => string | undefined
  readonly testRecipients: Allowlist
  readonly breakerLimits: BreakerLimits
  readonly connectionLimits: ConnectionLimits
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const config = readConfig(variables, env)
  if (config.deploymentEnvironment === 'production' && config.deliveryPauseAt !== 'never') {
    throw new ConfigError(['DELIVERY_PAUSE_AT is a setting for crash tests and must not be set in production'])
  }
  const breakerLimits: BreakerLimits = {
    complaintRate: config.runBreakerComplaintRate,
    hardBounceRate: config.runBreakerHardBounceRate,
    settledMin: config.runBreakerSettledMin,
  }
  const connectionLimits: ConnectionLimits = {
    atOnce: config.connectionHandOffsAtOnce,
    perSecond: config.connectionMessagesPerSecond,
  }
  const credential = namedSecrets(env, variables)
  return { ...config, credential, testRecipients: allowlistOf(config), breakerLimits, connectionLimits }
}

function allowlistOf({ testRecipientAllowlist }: ConfigOf<typeof variables>): Allowlist {
  try {
    return parseAllowlist(testRecipientAllowlist)
  } catch (error) {
    throw new ConfigError([`TEST_RECIPIENT_ALLOWLIST ${(error as Error).message}`])
  }
}
