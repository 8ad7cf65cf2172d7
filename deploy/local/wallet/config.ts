import { integer, readConfig, secret, text, type ConfigOf } from '@lettergate/service/config'
import { loopback } from '../listen.ts'

const variables = {
  port: integer('WALLET_PORT', { default: 0, min: 0, max: 65_535 }),
  address: text('STAND_IN_ADDRESS', { default: loopback }),
  clientId: text('WALLET_CLIENT_ID', { default: 'lettergate' }),
  clientSecret: secret('WALLET_CLIENT_SECRET', { default: 'dev-wallet-secret' }),
}

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof variables> =>
  readConfig(variables, env)
