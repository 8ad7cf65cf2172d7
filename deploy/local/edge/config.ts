import { integer, readConfig, url, type ConfigOf } from '@lettergate/service/config'

const variables = {
  port: integer('EDGE_PORT', { default: 8080, min: 0, max: 65_535 }),
  /** Health has a separate port, because every path of the public one belongs to the services. */
  healthPort: integer('EDGE_HEALTH_PORT', { default: 0, min: 0, max: 65_535 }),
  gatewayUrl: url('GATEWAY_URL'),
  webhookUrl: url('WEBHOOK_INTAKE_URL'),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
