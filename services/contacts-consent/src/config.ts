import {
  ConfigError,
  commonVariables,
  integer,
  readConfig,
  url,
  type ConfigOf,
  type Variable,
} from '@lettergate/service/config'
import { parseKeyRing, type KeyRing } from './values/key-ring.ts'
import { parseProofKeys } from './consent-record/proof-signing-keys.ts'

const keyRing = (name: string): Variable<KeyRing> => ({ name, secret: true, fallback: undefined, parse: parseKeyRing })
const proofKeys = (name: string): Variable<ReturnType<typeof parseProofKeys>> => ({
  name,
  secret: true,
  fallback: undefined,
  parse: parseProofKeys,
})

export const variables = {
  ...commonVariables,
  /** The public origin of preference links. */
  baseUrl: url('BASE_URL'),
  preferenceSigningKeys: keyRing('PREFERENCE_SIGNING_KEYS'),
  /** From this age, the hosted page shows that a link is from an older email. The link stays valid. In seconds. */
  preferenceTokenMaxAgeSeconds: integer('PREFERENCE_TOKEN_MAX_AGE_SECONDS', { default: 7_776_000, min: 0 }),
  /** Ed25519 seeds for signing consent proofs: `key_id:base64url,…`. The first one signs; the public keys of all are listed. */
  consentProofKeys: proofKeys('CONSENT_PROOF_SIGNING_KEY'),
  /** HMAC keys for the addresses of erased people: `key_id:base64url,…`. The first one is for new hashes; all are used for lookups. */
  erasureHashKeys: keyRing('ERASURE_HASH_KEYS'),
  /** The pause between two steps of comparing the consent record with its seals, milliseconds. */
  consentCheckEveryMs: integer('CONSENT_CHECK_EVERY_MS', { default: 5_000, min: 50 }),
  /** The days for which every provenance entry of a contact is kept. The creation and the newest entry of each source are kept longer. */
  provenanceKeepDays: integer('CONTACT_PROVENANCE_KEEP_DAYS', { default: 730, min: 30, max: 36_500 }),
  /** The days for which the ledger of an import is kept. It names ids only. */
  importRowsKeepDays: integer('IMPORT_ROWS_KEEP_DAYS', { default: 30, min: 8, max: 36_500 }),
  /** Hours after its upload in which an import must be completed. Set the same value as for imports. */
  importTtlHours: integer('IMPORT_TTL_HOURS', { default: 72, min: 1, max: 8_760 }),
  /** The days for which the receipts of automation steps are kept. A step that comes again later has its effect again. */
  automationStepsKeepDays: integer('AUTOMATION_STEPS_KEEP_DAYS', { default: 365, min: 30, max: 36_500 }),
  databasePoolMax: integer('DATABASE_POOL_MAX', { default: 10, min: 1, max: 200 }),
  /** Database connections for audience streams and exports only. Two of them are reserved for exports. */
  databaseLongPoolMax: integer('DATABASE_LONG_POOL_MAX', { default: 6, min: 3, max: 200 }),
}

export type Config = ConfigOf<typeof variables>

/** Throws ConfigError also if the ledger of an import could be deleted before the import is applied. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = readConfig(variables, env)
  const { importTtlHours, importRowsKeepDays } = config
  const daysNeeded = Math.ceil(importTtlHours / 24) + 1
  if (importRowsKeepDays >= daysNeeded) return config
  throw new ConfigError([
    `IMPORT_ROWS_KEEP_DAYS must be at least ${daysNeeded} with IMPORT_TTL_HOURS ${importTtlHours}, or parts of the ledger of an import are deleted before it is applied (it is ${importRowsKeepDays}). Set the same values for imports and contacts-consent`,
  ])
}
