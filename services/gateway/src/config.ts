import {
  commonVariables,
  environmentVariable,
  flag,
  integer,
  readConfig,
  secret,
  text,
  url,
  type ConfigOf,
} from '@lettergate/service/config'
import { parseWebhookSecret } from '@lettergate/webhooks/webhook-secret'
import { parseWebhookUrl } from '@lettergate/webhooks/webhook-url'

export const variables = {
  ...commonVariables,
  httpPort: integer('HTTP_PORT', { default: 0, min: 0, max: 65_535 }),
  /** The built pages of the console: `dist` of services/console. Without it, /console answers 503. */
  consoleDirectory: text('CONSOLE_DIRECTORY', { default: '' }),
  /** The public origin, which links use. */
  baseUrl: url('BASE_URL'),
  walletBaseUrl: url('WALLET_BASE_URL'),
  walletClientId: text('WALLET_CLIENT_ID'),
  walletClientSecret: secret('WALLET_CLIENT_SECRET'),
  /** Seconds that a valid wallet token is cached; 0 calls the wallet for every request. */
  walletValidationCacheSeconds: integer('WALLET_VALIDATION_CACHE_SECONDS', { default: 0, min: 0, max: 300 }),
  /** The credential of service callers; without it there are none. */
  serviceApiKey: secret('SERVICE_API_KEY', { default: '' }),
  productionSendingCeiling: flag('ALLOW_PRODUCTION_SENDING_ACTIVATION', { default: false }),
  testSendsCeiling: flag('TEST_SENDS_ENABLED', { default: false }),
  syntheticRehearsalsCeiling: flag('SYNTHETIC_REHEARSALS_ENABLED', { default: false }),
  ...environmentVariable,
  preferencesPerMinute: integer('RATE_LIMIT_PREFERENCES_PER_MINUTE', { default: 120, min: 1 }),
  signInPerMinute: integer('RATE_LIMIT_SIGN_IN_PER_MINUTE', { default: 60, min: 1 }),
  /** Sign-ups per minute, by credential, and by source for grants. */
  sourceEventsPerMinute: integer('RATE_LIMIT_SOURCE_EVENTS_PER_MINUTE', { default: 6_000, min: 1 }),
  /** Unknown credentials on source routes per minute, by client address. */
  sourceRefusalsPerMinute: integer('RATE_LIMIT_SOURCE_REFUSALS_PER_MINUTE', { default: 120, min: 1 }),
  /** The pause between two steps of comparing the audit log with its seals, milliseconds. */
  auditCheckEveryMs: integer('AUDIT_CHECK_EVERY_MS', { default: 60_000, min: 50 }),
  /** Receiver of alerts, by Standard Webhooks; without it, alerts are only in the console. */
  alertWebhookUrl: text('ALERT_WEBHOOK_URL', { default: '' }),
  /** The signing secret of the receiver: whsec_ and 24 to 64 bytes in base64. */
  alertWebhookSecret: secret('ALERT_WEBHOOK_SECRET', { default: '' }),
  /** Allows http, other ports and private addresses, for a receiver in the same network. */
  alertWebhookAllowPrivate: flag('ALERT_WEBHOOK_ALLOW_PRIVATE', { default: false }),
  /** Days that an acknowledged alert is kept. */
  alertKeepDays: integer('ALERT_KEEP_DAYS', { default: 365, min: 1, max: 3_650 }),
  /** Rejected wallet tokens and sessions per minute, by client address; recently valid tokens do not count. */
  rejectedCredentialsPerMinute: integer('RATE_LIMIT_REJECTED_CREDENTIALS_PER_MINUTE', { default: 120, min: 1 }),
  /** Seconds that a rejected token is refused without another call to the wallet; 0 calls it each time. */
  rejectedCredentialSeconds: integer('REJECTED_CREDENTIAL_SECONDS', { default: 5, min: 0, max: 60 }),
  /** Requests of one caller in one workspace per minute, on this replica. */
  callerPerMinute: integer('RATE_LIMIT_CALLER_PER_MINUTE', { default: 300_000, min: 1 }),
  /** Requests of all callers in one workspace per minute, on this replica. */
  workspacePerMinute: integer('RATE_LIMIT_WORKSPACE_PER_MINUTE', { default: 600_000, min: 1 }),
  /** The same for all operations with `x-rate-class: expensive` together. */
  expensiveCallerPerMinute: integer('RATE_LIMIT_EXPENSIVE_CALLER_PER_MINUTE', { default: 600, min: 1 }),
  expensiveWorkspacePerMinute: integer('RATE_LIMIT_EXPENSIVE_WORKSPACE_PER_MINUTE', { default: 1_200, min: 1 }),
  /** Number of trusted proxies in front of this process that append to X-Forwarded-For. */
  trustedProxies: integer('TRUSTED_PROXIES', { default: 1, min: 0, max: 8 }),
  /** Answers a logged 500 for a reply that contradicts the OpenAPI document. */
  validateResponses: flag('VALIDATE_RESPONSES', { default: false }),
  /** The largest file of an upload, in bytes. The service imports has the same setting. */
  importMaxBytes: integer('IMPORT_MAX_BYTES', { default: 104_857_600, min: 1, max: 2_147_483_647 }),
  /** Uploads of files at the same time, on this replica, and of them in one workspace. */
  uploadsAtOnce: integer('UPLOADS_AT_ONCE', { default: 8, min: 1, max: 1_000 }),
  uploadsPerWorkspace: integer('UPLOADS_PER_WORKSPACE', { default: 2, min: 1, max: 1_000 }),
  /** Seconds that an upload may take. */
  uploadTimeoutSeconds: integer('UPLOAD_TIMEOUT_SECONDS', { default: 900, min: 1, max: 2_700 }),
  /** The lowest rate of an upload, on average over 30 seconds. A slower client would hold one of the few uploads for minutes. */
  uploadBytesPerSecondMin: integer('UPLOAD_BYTES_PER_SECOND_MIN', { default: 4_096, min: 1, max: 1_048_576 }),
  contactsConsentTarget: text('CONTACTS_CONSENT_TARGET'),
  sendingInfraTarget: text('SENDING_INFRA_TARGET'),
  campaignsDeliveryTarget: text('CAMPAIGNS_DELIVERY_TARGET'),
  importsTarget: text('IMPORTS_TARGET'),
  automationsTarget: text('AUTOMATIONS_TARGET'),
  webhookIntakeTarget: text('WEBHOOK_INTAKE_TARGET'),
}

export type Config = ConfigOf<typeof variables>
/** Throws for a wrong environment, and for an alert webhook with a wrong URL or secret: the start must fail, not the first alert. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = readConfig(variables, env)
  if (config.alertWebhookUrl !== '') {
    parseWebhookUrl(config.alertWebhookUrl, config.alertWebhookAllowPrivate, 'ALERT_WEBHOOK_URL')
    parseWebhookSecret(config.alertWebhookSecret, 'ALERT_WEBHOOK_SECRET')
  }
  return config
}

/** Of programs that only use the database. */
export const loadDatabaseUrl = (env: NodeJS.ProcessEnv = process.env): string =>
  readConfig({ databaseUrl: commonVariables.databaseUrl }, env).databaseUrl
