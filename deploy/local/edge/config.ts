import { integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'

const variables = {
  port: integer('EDGE_PORT', { default: 8080, min: 0, max: 65_535 }),
  /** Health has a separate port, because every path of the public one belongs to the services. */
  healthPort: integer('EDGE_HEALTH_PORT', { default: 0, min: 0, max: 65_535 }),
  /** The URL of each replica, and of its health port in the same order, separated by commas. */
  gatewayUrl: text('GATEWAY_URL'),
  gatewayHealthUrl: text('GATEWAY_HEALTH_URL', { default: '' }),
  webhookUrl: text('WEBHOOK_INTAKE_URL'),
  webhookHealthUrl: text('WEBHOOK_INTAKE_HEALTH_URL', { default: '' }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
