import { choice, commonVariables, readConfig, type ConfigOf } from '@lettergate/service/config'

export const variables = {
  ...commonVariables,
  /** api answers gRPC; worker does the work and answers nothing. */
  role: choice('ROLE', ['api', 'worker'], { default: 'api' }),
}

export type Config = ConfigOf<typeof variables>

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => readConfig(variables, env)
