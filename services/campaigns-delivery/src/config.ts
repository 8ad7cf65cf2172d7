import {
  ConfigError,
  choice,
  commonVariables,
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
import type { ConnectionLimits } from './delivery/claim.ts'
import type { BreakerLimits } from './runs/run-breaker.ts'
import { parseAllowlist, type Allowlist } from './testing/allowlist.ts'
import { parseSealingKeys, type SealingKeys } from './webhooks/webhook-secret.ts'

const sealingKeys = (name: string): Variable<SealingKeys> => ({
  name,
  secret: true,
  fallback: '',
  parse: parseSealingKeys,
})

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
  /** `api` answers calls; `worker` delivers, hears events and runs the jobs. */
  role: choice('ROLE', ['api', 'worker']),
  identityTarget: text('IDENTITY_TARGET'),
  contactsTarget: text('CONTACTS_CONSENT_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  providerUsBaseUrl: url('MAILPROVIDER_US_BASE_URL'),
  providerEuBaseUrl: url('MAILPROVIDER_EU_BASE_URL'),
  /** Batches that one worker prepares at once; those that only wait for the provider are not among them. */
  deliveryConcurrency: integer('DELIVERY_CONCURRENCY', { default: 4, min: 1, max: 64 }),
  /** Batches whose calls one worker has under way at once, to all connections; neither one connection nor one workspace gets them all. */
  deliveryCallsAtOnce: integer('DELIVERY_CALLS_AT_ONCE', { default: 64, min: 1, max: 256 }),
  /** Calls that hand messages over through one connection at once, over all workers. */
  connectionHandOffsAtOnce: integer('CONNECTION_HAND_OFFS_AT_ONCE', { default: 16, min: 1, max: 1_000 }),
  /** Messages a second through one connection, over all workers; 0 is as many as the provider takes. */
  connectionMessagesPerSecond: integer('CONNECTION_MESSAGES_PER_SECOND', { default: 0, min: 0, max: 1_000_000 }),
  /** Recipients of one batch, which is one call to the provider; fixed for a run when it is scheduled. */
  deliveryBatchSize: integer('DELIVERY_BATCH_SIZE', { default: 100, min: 1, max: 1_000 }),
  /** How long the provider may take to answer a messages call before its result counts as unknown. */
  handOffTimeoutMs: integer('DELIVERY_HAND_OFF_TIMEOUT_MS', { default: 15_000, min: 100, max: 60_000 }),
  /** How long after its time a run still starts by itself; a later one is paused, and a person is told. */
  runLateMaxSeconds: integer('RUN_LATE_MAX_SECONDS', { default: 21_600, min: 1, max: 604_800 }),
  /** Fault injection for crash tests: the worker stops for ever at this point of its first hand-off. Refused in production. */
  deliveryPauseAt: choice('DELIVERY_PAUSE_AT', ['never', 'after_intent', 'after_handoff'], { default: 'never' }),
  /** Addresses and `@domain` entries that test messages may go to; nobody when empty. */
  testRecipientAllowlist: list('TEST_RECIPIENT_ALLOWLIST', { default: [] }),
  /** Test sends and rehearsals that one workspace may make within any hour, and any day. */
  testSendHourlyCap: integer('TEST_SEND_HOURLY_CAP', { default: 20, min: 0, max: 10_000 }),
  testSendDailyCap: integer('TEST_SEND_DAILY_CAP', { default: 100, min: 0, max: 10_000 }),
  /** How long a rehearsal waits for its events. */
  rehearsalDeadlineSeconds: integer('REHEARSAL_DEADLINE_SECONDS', { default: 900, min: 1, max: 86_400 }),
  /** Threads that sanitise content beside the event loop of the api. */
  contentThreads: integer('CONTENT_THREADS', { default: 2, min: 1, max: 16 }),
  /** Content versions that may wait for one of them; more are 503 at once. */
  contentQueueMax: integer('CONTENT_QUEUE_MAX', { default: 32, min: 1, max: 1_000 }),
  /** Heap of one of them; the largest contents that are taken need about half of it. */
  contentThreadMemoryMb: integer('CONTENT_THREAD_MEMORY_MB', { default: 256, min: 128, max: 4_096 }),
  /** Seals the signing secrets of campaign webhooks in the database: `kid:base64url,…`, 256 bits each, the first seals, all open. No secret can be set without. */
  campaignWebhookKeys: sealingKeys('CAMPAIGN_WEBHOOK_KEYS'),
  /** Campaign webhooks may be http, name any port and lead to private addresses: for a stack of one machine. */
  campaignWebhookAllowPrivate: flag('CAMPAIGN_WEBHOOK_ALLOW_PRIVATE', { default: false }),
  /** For one attempt to deliver a campaign webhook, from look-up to the end of the answer. */
  campaignWebhookTimeoutMs: integer('CAMPAIGN_WEBHOOK_TIMEOUT_MS', { default: 15_000, min: 100, max: 30_000 }),
  /** How long it is kept what a receiver was told, from when it was settled. */
  campaignWebhookDeliveryDays: integer('CAMPAIGN_WEBHOOK_DELIVERY_DAYS', { default: 90, min: 1, max: 3_650 }),
  /** A run pauses itself when more of its settled recipients complain, or bounce for good, than this; 100 never does. */
  runBreakerComplaintRate: percent('RUN_BREAKER_COMPLAINT_RATE', 0.3),
  runBreakerHardBounceRate: percent('RUN_BREAKER_HARD_BOUNCE_RATE', 5),
  /** Recipients that must have settled, since it was last let go on, before a run is judged. */
  runBreakerSettledMin: integer('RUN_BREAKER_SETTLED_MIN', { default: 200, min: 1, max: 1_000_000 }),
  /** Snapshots that are built at once, over all workers and of one workspace; contacts-consent streams `DATABASE_LONG_POOL_MAX` less two at once. */
  snapshotsAtOnce: integer('SNAPSHOTS_AT_ONCE', { default: 4, min: 1, max: 100 }),
  snapshotsPerWorkspace: integer('SNAPSHOTS_PER_WORKSPACE', { default: 2, min: 1, max: 100 }),
  /** Connections of one process that snapshots and exports use, and nothing else. */
  databaseLongPoolMax: integer('DATABASE_LONG_POOL_MAX', { default: 6, min: 2, max: 200 }),
  deploymentEnvironment: text('DEPLOYMENT_ENVIRONMENT', { default: 'local' }),
}

export type Config = ConfigOf<typeof variables> & {
  /** The provider credential behind an environment key, undefined when there is none. The value goes nowhere but to the provider. */
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
