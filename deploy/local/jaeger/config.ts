import { integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'

const variables = {
  /** The program of Jaeger 2. */
  program: text('JAEGER_PROGRAM'),
  uiPort: integer('JAEGER_UI_PORT', { min: 1, max: 65_535 }),
  otlpPort: integer('JAEGER_OTLP_PORT', { min: 1, max: 65_535 }),
  healthPort: integer('JAEGER_HEALTH_PORT', { default: 0, min: 0, max: 65_535 }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
