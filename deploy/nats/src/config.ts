import { commonVariables, integer, readConfig, type ConfigOf } from '@lettergate/service/config'

const { databaseUrl: _unused, ...common } = commonVariables

export const variables = {
  ...common,
  /** Servers that store each message; 3 with a cluster of three. */
  streamReplicas: integer('NATS_STREAM_REPLICAS', { default: 1, min: 1, max: 5 }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
