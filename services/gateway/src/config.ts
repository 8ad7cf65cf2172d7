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
  /** how long an alert that was acknowledged is kept */
  alertKeepDays: integer('ALERT_KEEP_DAYS', { default: 365, min: 1, max: 3_650 }),
  /** by client address: wallet tokens and sessions that are nobody's; tokens that were good lately are not counted */
  rejectedCredentialsPerMinute: integer('RATE_LIMIT_REJECTED_CREDENTIALS_PER_MINUTE', { default: 120, min: 1 }),
  /** how long a token that the wallet rejected is refused without asking again; 0 asks each time */
  rejectedCredentialSeconds: integer('REJECTED_CREDENTIAL_SECONDS', { default: 5, min: 0, max: 60 }),
  /** by caller and workspace, on this replica */
  callerPerMinute: integer('RATE_LIMIT_CALLER_PER_MINUTE', { default: 300_000, min: 1 }),
  /** by workspace, all callers together */
  workspacePerMinute: integer('RATE_LIMIT_WORKSPACE_PER_MINUTE', { default: 600_000, min: 1 }),
  /** the same for operations of `x-rate-class: expensive`, all of them together */
  expensiveCallerPerMinute: integer('RATE_LIMIT_EXPENSIVE_CALLER_PER_MINUTE', { default: 600, min: 1 }),
  expensiveWorkspacePerMinute: integer('RATE_LIMIT_EXPENSIVE_WORKSPACE_PER_MINUTE', { default: 1_200, min: 1 }),
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
