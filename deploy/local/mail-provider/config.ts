import { integer, readConfig, secret, text, type ConfigOf } from '@lettergate/service/config'
import { loopback } from '../listen.ts'

const variables = {
  port: integer('MAILPROVIDER_PORT', { default: 0, min: 0, max: 65_535 }),
  /** of the provider and of the DNS server */
  address: text('STAND_IN_ADDRESS', { default: loopback }),
  dnsPort: integer('DNS_PORT', { default: 0, min: 0, max: 65_535 }),
  apiKey: secret('MAILPROVIDER_API_KEY', { default: 'dev-api-key' }),
  signingKey: secret('MAILPROVIDER_WEBHOOK_SIGNING_KEY', { default: 'dev-webhook-signing-key' }),
  /** Factor of the provider's retry delays. The first one is 5 minutes; 0.01 makes that 3 seconds. */
  retryScale: text('MAILPROVIDER_RETRY_SCALE', { default: '0.01', pattern: /^\d+(\.\d+)?$/ }),
  messagesMax: integer('MAILPROVIDER_MESSAGES_MAX', { default: 200_000, min: 1 }),
  /** Empty: domains, webhooks and zones are lost at the end. */
  stateFile: text('MAILPROVIDER_STATE_FILE', { default: '' }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
