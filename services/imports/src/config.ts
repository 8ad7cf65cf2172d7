import { sealingKeys } from '@lettergate/sealing'
import {
  ConfigError,
  choice,
  commonVariables,
  integer,
  readConfig,
  text,
  type ConfigOf,
} from '@lettergate/service/config'

export const variables = {
  ...commonVariables,
  /** `api` answers calls; `worker` runs dry runs, applies and the sweep. */
  role: choice('ROLE', ['api', 'worker'], { default: 'api' }),
  contactsTarget: text('CONTACTS_CONSENT_TARGET'),
  identityTarget: text('IDENTITY_TARGET'),
  sendingTarget: text('SENDING_INFRA_TARGET'),
  /** Keys for the data keys of uploaded files: `key_id:base64url,…`, 256 bits each. The first one encrypts; all decrypt. Empty: no file can be uploaded. */
  importKeys: sealingKeys('IMPORT_KEYS'),
  /** The largest file, in bytes. The gateway has the same setting and refuses larger ones first. */
  importMaxBytes: integer('IMPORT_MAX_BYTES', { default: 104_857_600, min: 1, max: 2_147_483_647 }),
  /** The most rows of a file. A dry run refuses more, because a worker keeps 30 bytes of memory for each address. */
  importMaxRows: integer('IMPORT_MAX_ROWS', { default: 2_000_000, min: 1, max: 50_000_000 }),
  /** Hours after the upload in which an import must be completed. Then the file is destroyed. */
  importTtlHours: integer('IMPORT_TTL_HOURS', { default: 72, min: 1, max: 8_760 }),
  /** The days for which contacts-consent keeps the ledger of an import. Set the same value there. */
  importRowsKeepDays: integer('IMPORT_ROWS_KEEP_DAYS', { default: 30, min: 8, max: 36_500 }),
  /** Imports that one worker runs at the same time, of different workspaces. */
  importJobsAtOnce: integer('IMPORT_JOBS_AT_ONCE', { default: 2, min: 1, max: 20 }),
  /** Seconds after which the import of a lost worker is taken by another one. Workers renew their leases. */
  importLeaseSeconds: integer('IMPORT_LEASE_SECONDS', { default: 30, min: 1, max: 600 }),
}

export type Config = ConfigOf<typeof variables>

/** Throws ConfigError also if an import could be applied after parts of its ledger were deleted. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = readConfig(variables, env)
  const { importTtlHours, importRowsKeepDays } = config
  const daysNeeded = Math.ceil(importTtlHours / 24) + 1
  if (importRowsKeepDays >= daysNeeded) return config
  throw new ConfigError([
    `IMPORT_ROWS_KEEP_DAYS must be at least ${daysNeeded} with IMPORT_TTL_HOURS ${importTtlHours}, or parts of the ledger of an import are deleted before it is applied (it is ${importRowsKeepDays}). Set the same values for imports and contacts-consent`,
  ])
}
