import {
  ConfigError,
  choice,
  commonVariables,
  integer,
  list,
  readConfig,
  text,
  url,
  type ConfigOf,
} from '@lettergate/service/config'
import { namedSecrets } from '@lettergate/service/named-secrets'
import { parseAllowlist, type Allowlist } from './domain/testing/allowlist.ts'

export const variables = {
  ...commonVariables,
  /** `api` answers calls; `worker` delivers, hears events and runs the jobs. */
  role: choice('ROLE', ['api', 'worker']),
  identityTarget: text('IDENTITY_TARGET'),
  contactsTarget: text('CONTACTS_CONSENT_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  providerUsBaseUrl: url('MAILPROVIDER_US_BASE_URL'),
  providerEuBaseUrl: url('MAILPROVIDER_EU_BASE_URL'),
  /** Batches that one worker has under way at once. */
  deliveryConcurrency: integer('DELIVERY_CONCURRENCY', { default: 4, min: 1, max: 64 }),
  /** Recipients of one batch, which is one call to the provider; fixed for a run when it is scheduled. */
  deliveryBatchSize: integer('DELIVERY_BATCH_SIZE', { default: 100, min: 1, max: 1_000 }),
  /** How long the provider may take to answer a messages call before its result counts as unknown. */
  handOffTimeoutMs: integer('DELIVERY_HAND_OFF_TIMEOUT_MS', { default: 15_000, min: 100, max: 60_000 }),
  /** Fault injection for crash tests: the worker stops for ever at this point of its first hand-off. Refused in production. */
  deliveryPauseAt: choice('DELIVERY_PAUSE_AT', ['never', 'after_intent', 'after_handoff'], { default: 'never' }),
  /** Addresses and `@domain` entries that test messages may go to; nobody when empty. */
  testRecipientAllowlist: list('TEST_RECIPIENT_ALLOWLIST', { default: [] }),
  /** Test sends and rehearsals that one workspace may make within any hour, and any day. */
  testSendHourlyCap: integer('TEST_SEND_HOURLY_CAP', { default: 20, min: 0, max: 10_000 }),
  testSendDailyCap: integer('TEST_SEND_DAILY_CAP', { default: 100, min: 0, max: 10_000 }),
  /** How long a rehearsal waits for its events. */
  rehearsalDeadlineSeconds: integer('REHEARSAL_DEADLINE_SECONDS', { default: 900, min: 1, max: 86_400 }),
  deploymentEnvironment: text('DEPLOYMENT_ENVIRONMENT', { default: 'local' }),
}

export type Config = ConfigOf<typeof variables> & {
  /** The provider credential behind an environment key, undefined when there is none. The value goes nowhere but to the provider. */
  readonly credential: (key: string) => string | undefined
  readonly testRecipients: Allowlist
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const config = readConfig(variables, env)
  if (config.deploymentEnvironment === 'production' && config.deliveryPauseAt !== 'never') {
    throw new ConfigError(['DELIVERY_PAUSE_AT is a setting for crash tests and must not be set in production'])
  }
  return { ...config, credential: namedSecrets(env, variables), testRecipients: allowlistOf(config) }
}

function allowlistOf({ testRecipientAllowlist }: ConfigOf<typeof variables>): Allowlist {
  try {
    return parseAllowlist(testRecipientAllowlist)
  } catch (error) {
    throw new ConfigError([`TEST_RECIPIENT_ALLOWLIST ${(error as Error).message}`])
  }
}
