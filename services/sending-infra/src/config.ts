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
import { parseKeyOwners, type KeyOwners } from './domain/key-owners.ts'

export const variables = {
  ...commonVariables,
  identityTarget: text('IDENTITY_TARGET'),
  /** the public origin; webhook URLs given to the provider begin with it */
  baseUrl: url('BASE_URL'),
  providerUsBaseUrl: url('MAILPROVIDER_US_BASE_URL'),
  providerEuBaseUrl: url('MAILPROVIDER_EU_BASE_URL'),
  providerTimeoutMs: integer('MAILPROVIDER_TIMEOUT_MS', { default: 5_000, min: 100, max: 60_000 }),
  /** Which organizations may name an environment key of the provider: `KEY=organization organization,…`, `*` for all. Empty: every organization every key. */
  providerKeyOwners: list('PROVIDER_KEY_OWNERS', { default: [] }),
  /** ip:port each; empty means the system's */
  dnsServers: list('DNS_SERVERS', { default: [] }),
  dnsTimeoutMs: integer('DNS_TIMEOUT_MS', { default: 2_000, min: 50, max: 30_000 }),
  dnsTries: integer('DNS_TRIES', { default: 2, min: 1, max: 10 }),
  domainCheckMaxAgeHours: integer('DOMAIN_CHECK_MAX_AGE_HOURS', { default: 24, min: 1, max: 8_760 }),
  /** How long every check is kept; of older ones the first and the last of each stretch with one verdict. */
  domainCheckKeepDays: integer('DOMAIN_CHECK_KEEP_DAYS', { default: 90, min: 1, max: 3_650 }),
  /** Domains that this process looks at again at once, of those that are due. */
  domainRecheckConcurrency: integer('DOMAIN_RECHECK_CONCURRENCY', { default: 4, min: 1, max: 64 }),
}

export type Config = ConfigOf<typeof variables> & {
  /** The provider credential behind an environment key, undefined when there is none. The value goes nowhere but to the provider. */
  readonly credential: (key: string) => string | undefined
  /** null: every organization may name every key */
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
