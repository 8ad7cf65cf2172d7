import { readConfig, secret, text, url, type ConfigOf } from '@lettergate/service/config'

const secretVariables = {
  release: text('RELEASE', { default: 'lettergate' }),
  namespace: text('NAMESPACE', { default: 'lettergate' }),
  cluster: text('DATABASE_CLUSTER', { default: 'lettergate-db' }),
  walletClientSecret: secret('WALLET_CLIENT_SECRET'),
  providerApiKey: secret('MAILPROVIDER_API_KEY'),
  providerSigningKey: secret('MAILPROVIDER_WEBHOOK_SIGNING_KEY', { bytesMin: 16 }),
}

const storyVariables = {
  baseUrl: url('BASE_URL'),
  providerUrl: url('PROVIDER_URL'),
  /** Of the role identity: users and workspaces are written with it first. Empty: they exist. */
  databaseUrl: secret('DATABASE_URL', { default: '' }),
}

export const loadSecretsConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof secretVariables> =>
  readConfig(secretVariables, env)

export const loadStoryConfig = (env: NodeJS.ProcessEnv = process.env): ConfigOf<typeof storyVariables> =>
  readConfig(storyVariables, env)
