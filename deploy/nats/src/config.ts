import { commonVariables, readConfig, type ConfigOf } from '@lettergate/service/config'

const { databaseUrl: _unused, ...variables } = commonVariables

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
