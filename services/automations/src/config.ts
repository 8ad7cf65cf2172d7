import { choice, commonVariables, integer, readConfig, text, type ConfigOf } from '@lettergate/service/config'

export const variables = {
  ...commonVariables,
  /** api answers gRPC; worker does the work and answers nothing. */
  role: choice('ROLE', ['api', 'worker'], { default: 'api' }),
  contactsTarget: text('CONTACTS_CONSENT_TARGET'),
  campaignsTarget: text('CAMPAIGNS_DELIVERY_TARGET'),
  /** The workers of campaigns-delivery, which send the emails of automations. */
  campaignsWorkerTarget: text('CAMPAIGNS_WORKER_TARGET'),
  identityTarget: text('IDENTITY_TARGET'),
  /** Sets of contacts whose steps one worker does at the same time, all but two of them of one workspace. */
  setsAtOnce: integer('AUTOMATION_SETS_AT_ONCE', { default: 5, min: 1, max: 50 }),
  /** Seconds after which the contacts of a lost worker are taken by another one. The calls of a step take at most 40 s. */
  leaseSeconds: integer('AUTOMATION_LEASE_SECONDS', { default: 60, min: 1, max: 600 }),
}

export type Config = ConfigOf<typeof variables>

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => readConfig(variables, env)
