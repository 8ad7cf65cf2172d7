import { integer, readConfig, url, type ConfigOf } from '@lettergate/service/config'

/** The configuration of a migration: the URL of the migrating role. Services do not have this URL. */
export const variables = {
  migrationUrl: url('MIGRATION_DATABASE_URL', { secret: true }),
  lockTimeoutMs: integer('MIGRATION_LOCK_TIMEOUT_MS', { default: 60_000, min: 1 }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
