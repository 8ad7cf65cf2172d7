import {
  commonVariables,
  flag,
  integer,
  readConfig,
  secret,
  text,
  url,
  type ConfigOf,
} from '@lettergate/service/config'

export const variables = {
  ...commonVariables,
  httpPort: integer('HTTP_PORT', { default: 0, min: 0, max: 65_535 }),
  /** the public origin that people and links use */
  baseUrl: url('BASE_URL'),
  walletBaseUrl: url('WALLET_BASE_URL'),
  walletClientId: text('WALLET_CLIENT_ID'),
  walletClientSecret: secret('WALLET_CLIENT_SECRET'),
  /** 0 asks the wallet for every request */
  walletValidationCacheSeconds: integer('WALLET_VALIDATION_CACHE_SECONDS', { default: 0, min: 0, max: 300 }),
  /** unset: there are no service callers */
  serviceApiKey: secret('SERVICE_API_KEY', { default: '' }),
  productionSendingCeiling: flag('ALLOW_PRODUCTION_SENDING_ACTIVATION', { default: false }),
  testSendsCeiling: flag('TEST_SENDS_ENABLED', { default: false }),
  syntheticRehearsalsCeiling: flag('SYNTHETIC_REHEARSALS_ENABLED', { default: false }),
  preferencesPerMinute: integer('RATE_LIMIT_PREFERENCES_PER_MINUTE', { default: 120, min: 1 }),
  signInPerMinute: integer('RATE_LIMIT_SIGN_IN_PER_MINUTE', { default: 60, min: 1 }),
  /** by credential, and by source for grants */
  sourceEventsPerMinute: integer('RATE_LIMIT_SOURCE_EVENTS_PER_MINUTE', { default: 6_000, min: 1 }),
  /** by client address: credentials that are no source's */
  sourceRefusalsPerMinute: integer('RATE_LIMIT_SOURCE_REFUSALS_PER_MINUTE', { default: 120, min: 1 }),
  /** how many proxies of ours stand before this process and append to X-Forwarded-For */
  trustedProxies: integer('TRUSTED_PROXIES', { default: 1, min: 0, max: 8 }),
  /** a reply that contradicts the OpenAPI document becomes a logged 500 */
  validateResponses: flag('VALIDATE_RESPONSES', { default: false }),
  contactsConsentTarget: text('CONTACTS_CONSENT_TARGET'),
  sendingInfraTarget: text('SENDING_INFRA_TARGET'),
  campaignsDeliveryTarget: text('CAMPAIGNS_DELIVERY_TARGET'),
  importsTarget: text('IMPORTS_TARGET'),
  automationsTarget: text('AUTOMATIONS_TARGET'),
  webhookIntakeTarget: text('WEBHOOK_INTAKE_TARGET'),
}

export type Config = ConfigOf<typeof variables>
export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => readConfig(variables, env)
