import { commonVariables, integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'
import { namedSecrets } from '@lettergate/service/named-secrets'

export const variables = {
  ...commonVariables,
  httpPort: integer('HTTP_PORT', { default: 0, min: 0, max: 65_535 }),
  identityTarget: text('IDENTITY_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  /** Requests a minute that one connection may make, on this replica. */
  rateLimitPerMinute: integer('RATE_LIMIT_WEBHOOK_PER_MINUTE', { default: 6_000, min: 1 }),
  /** Requests a minute that one client address may make for ids that name no connection, on this replica. */
  unknownPerMinute: integer('RATE_LIMIT_UNKNOWN_WEBHOOK_PER_MINUTE', { default: 600, min: 1 }),
  /** how many proxies of ours stand before this process and append to X-Forwarded-For */
  trustedProxies: integer('TRUSTED_PROXIES', { default: 1, min: 0, max: 8 }),
  /** How long a provider event is kept for the console and for replays; longer than any retry of the provider. */
  providerEventKeepDays: integer('PROVIDER_EVENT_KEEP_DAYS', { default: 90, min: 8, max: 3_650 }),
  bodyBytesMax: integer('WEBHOOK_BODY_MAX_BYTES', { default: 1_048_576, min: 1_024 }),
}

const signingKeyBytesMin = 16

export interface Config extends ConfigOf<typeof variables> {
  /** The webhook signing key of that environment name; undefined when it is unset, too short, or no such name at all. */
  signingKey(this: void, name: string): string | undefined
}

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const secretOf = namedSecrets(env, variables)
  return {
    ...readConfig(variables, env),
    signingKey(name) {
      const key = secretOf(name)
      return key !== undefined && Buffer.byteLength(key) >= signingKeyBytesMin ? key : undefined
    },
  }
}
