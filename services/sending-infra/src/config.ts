import {
  commonVariables,
  ConfigError,
  integer,
  list,
  readConfig,
  text,
  url,
  type ConfigOf,
} from '@lettergate/service/config'
import { namedSecrets } from '@lettergate/service/named-secrets'
import { parseKeyOwners, type KeyOwners } from './connections/key-owners.ts'

export const variables = {
  ...commonVariables,
  identityTarget: text('IDENTITY_TARGET'),
  /** The public origin. Webhook URLs for the provider begin with it. */
  baseUrl: url('BASE_URL'),
  providerUsBaseUrl: url('MAILPROVIDER_US_BASE_URL'),
  providerEuBaseUrl: url('MAILPROVIDER_EU_BASE_URL'),
  providerTimeoutMs: integer('MAILPROVIDER_TIMEOUT_MS', { default: 5_000, min: 100, max: 60_000 }),
  /** The organizations that may use each environment key of the provider: `KEY=organization organization,…`; `*` means all organizations. If empty, every organization may use every key. */
  providerKeyOwners: list('PROVIDER_KEY_OWNERS', { default: [] }),
  /** DNS servers, each as `ip:port`. If empty, the system's servers are used. */
  dnsServers: list('DNS_SERVERS', { default: [] }),
  dnsTimeoutMs: integer('DNS_TIMEOUT_MS', { default: 2_000, min: 50, max: 30_000 }),
  dnsTries: integer('DNS_TRIES', { default: 2, min: 1, max: 10 }),
  domainCheckMaxAgeHours: integer('DOMAIN_CHECK_MAX_AGE_HOURS', { default: 24, min: 1, max: 8_760 }),
  /** The days for which all checks are kept. Of older checks, only the first and the last of each period with the same verdict are kept. */
  domainCheckKeepDays: integer('DOMAIN_CHECK_KEEP_DAYS', { default: 90, min: 1, max: 3_650 }),
  /** The number of due domains that this process checks again at the same time. */
  domainRecheckConcurrency: integer('DOMAIN_RECHECK_CONCURRENCY', { default: 4, min: 1, max: 64 }),
}

export type Config = ConfigOf<typeof variables> & {
  /** The provider credential of an environment key, or undefined. The value is sent only to the provider. */
  readonly credential: (key: string) => string | undefined
  /** null: every organization may use every key */
  readonly keyOwners: KeyOwners | null
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const config = readConfig(variables, env)
  return { ...config, credential: namedSecrets(env, variables), keyOwners: keyOwnersOf(config) }
}

function keyOwnersOf({ providerKeyOwners }: ConfigOf<typeof variables>): KeyOwners | null {
  try {
    return parseKeyOwners(providerKeyOwners)
  } catch (error) {
    throw new ConfigError([`PROVIDER_KEY_OWNERS ${(error as Error).message}`])
  }
}
