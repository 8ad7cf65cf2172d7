import { integer, readConfig, type ConfigOf } from '@lettergate/service/config'

const variables = {
  port: integer('TRACES_PORT', { default: 0, min: 0, max: 65_535 }),
  spansMax: integer('TRACES_SPANS_MAX', { default: 100_000, min: 2 }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
