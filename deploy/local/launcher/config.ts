import { flag, integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'
import { resolve } from 'node:path'

const variables = {
  port: integer('LETTERGATE_PORT', { default: 8080, min: 1, max: 65_535 }),
  stateDirectory: text('LETTERGATE_STATE_DIR', { default: '.local' }),
  databaseUrl: text('DATABASE_URL', { default: '' }),
  natsUrl: text('NATS_URL', { default: '' }),
  /** Libraries that the stack's PostgreSQL loads at its start. */
  postgresPreload: text('LETTERGATE_POSTGRES_PRELOAD', { default: '' }),
  logLevel: text('LOG_LEVEL', { default: 'info' }),
  allowProductionSending: flag('ALLOW_PRODUCTION_SENDING_ACTIVATION', { default: false }),
  testSends: flag('TEST_SENDS_ENABLED', { default: false }),
  traces: flag('LETTERGATE_TRACES', { default: false }),
  /** The program of Jaeger 2, which receives and shows the traces instead of the stack's own viewer. */
  jaeger: text('LETTERGATE_JAEGER', { default: '' }),
  /** The services that one process runs together: `all`, or names separated by commas. Without it each has a process. */
  target: text('TARGET', { default: '' }),
  /** How many processes run each service and worker. */
  replicas: integer('REPLICAS', { default: 1, min: 1, max: 4 }),
  syntheticRehearsals: flag('SYNTHETIC_REHEARSALS_ENABLED', { default: false }),
}

/** The settings of the launcher. Other variables of the environment are passed to the services. */
export type LauncherConfig = ConfigOf<typeof variables> & { readonly environment: Record<string, string> }

/** `fixed` overrides the environment: the demo sets what its stack needs. */
export const loadConfig = (
  fixed: Record<string, string> = {},
  environmentOfCaller: NodeJS.ProcessEnv = process.env,
): LauncherConfig => {
  const env: NodeJS.ProcessEnv = { ...environmentOfCaller, ...fixed }
  const config = readConfig(variables, env)
  const environment = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return { ...config, stateDirectory: resolve(config.stateDirectory), environment }
}
