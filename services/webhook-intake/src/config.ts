import { commonVariables, integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'
import { namedSecrets } from '@lettergate/service/named-secrets'

export const variables = {
  ...commonVariables,
  httpPort: integer('HTTP_PORT', { default: 0, min: 0, max: 65_535 }),
  identityTarget: text('IDENTITY_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  /** Requests of one connection per minute, on this replica. */
  rateLimitPerMinute: integer('RATE_LIMIT_WEBHOOK_PER_MINUTE', { default: 6_000, min: 1 }),
  /** Requests of one client address per minute with ids of unknown connections, on this replica. */
  unknownPerMinute: integer('RATE_LIMIT_UNKNOWN_WEBHOOK_PER_MINUTE', { default: 600, min: 1 }),
  /** Number of trusted proxies in front of this process that append to X-Forwarded-For. */
  trustedProxies: integer('TRUSTED_PROXIES', { default: 1, min: 0, max: 8 }),
  /** Days that a provider event is kept for the console and for replays; longer than the retries of the provider. */
  providerEventKeepDays: integer('PROVIDER_EVENT_KEEP_DAYS', { default: 90, min: 8, max: 3_650 }),
  bodyBytesMax: integer('WEBHOOK_BODY_MAX_BYTES', { default: 1_048_576, min: 1_024 }),
}

const signingKeyBytesMin = 16

export interface Config extends ConfigOf<typeof variables> {
  /** The webhook signing key with that environment name; undefined when it is unset, too short, or not a key of the provider. */
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
