import { flag, integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'
import { resolve } from 'node:path'

const variables = {
  port: integer('LETTERGATE_PORT', { default: 8080, min: 1, max: 65_535 }),
  stateDirectory: text('LETTERGATE_STATE_DIR', { default: '.local' }),
  databaseUrl: text('DATABASE_URL', { default: '' }),
  natsUrl: text('NATS_URL', { default: '' }),
  /** Libraries that the stack's own PostgreSQL loads when it starts. */
  postgresPreload: text('LETTERGATE_POSTGRES_PRELOAD', { default: '' }),
  logLevel: text('LOG_LEVEL', { default: 'info' }),
  allowProductionSending: flag('ALLOW_PRODUCTION_SENDING_ACTIVATION', { default: false }),
  testSends: flag('TEST_SENDS_ENABLED', { default: false }),
  traces: flag('LETTERGATE_TRACES', { default: false }),
  syntheticRehearsals: flag('SYNTHETIC_REHEARSALS_ENABLED', { default: false }),
}

/** What people set around the stack. Everything else of the caller's environment is handed on to the services unread. */
export type Config = ConfigOf<typeof variables> & { readonly environment: Record<string, string> }

/** `fixed` wins over the environment: the demo opens what it needs for its own stack. */
export const loadConfig = (fixed: Record<string, string> = {}): Config => {
  const env: NodeJS.ProcessEnv = { ...process.env, ...fixed }
  const config = readConfig(variables, env)
  const environment = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return { ...config, stateDirectory: resolve(config.stateDirectory), environment }
}
