import { integer, readConfig, url, type ConfigOf } from '@lettergate/service/config'

/** What a migration needs: the migrating role's URL, which no service ever has. */
export const variables = {
  migrationUrl: url('MIGRATION_DATABASE_URL', { secret: true }),
  lockTimeoutMs: integer('MIGRATION_LOCK_TIMEOUT_MS', { default: 60_000, min: 1 }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
