import { integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'

export const variables = {
  /** `all`, or services and roles, separated by commas. */
  target: text('TARGET'),
  /** The port for the readiness and the metrics of all targets. Each target also has its own. */
  healthPort: integer('HEALTH_PORT', { default: 7100, min: 0, max: 65_535 }),
}

/** The settings of the process, and its whole environment, which holds those of the targets. */
export const loadConfig = (
  environment: NodeJS.ProcessEnv = process.env,
): ConfigOf<typeof variables> & { readonly environment: NodeJS.ProcessEnv } => ({
  ...readConfig(variables, environment),
  environment,
})
