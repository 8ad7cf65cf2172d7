import { commonVariables, integer, readConfig, url, type ConfigOf, type Variable } from '@lettergate/service/config'
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
  /** where people open preference links */
  baseUrl: url('BASE_URL'),
  preferenceSigningKeys: keyRing('PREFERENCE_SIGNING_KEYS'),
  /** from this age on the hosted page says that a link is from an older email; it stays valid */
  preferenceTokenMaxAgeSeconds: integer('PREFERENCE_TOKEN_MAX_AGE_SECONDS', { default: 7_776_000, min: 0 }),
  /** Ed25519 seeds that sign consent proofs: `key_id:base64url,…`, the first signs, all are shown */
  consentProofKeys: proofKeys('CONSENT_PROOF_SIGNING_KEY'),
  /** HMAC keys over the addresses of people who were erased: `key_id:base64url,…`, the first is used for new ones, all are looked up */
  erasureHashKeys: keyRing('ERASURE_HASH_KEYS'),
  /** how long the comparison of the consent record with its seals rests between two slices */
  consentCheckEveryMs: integer('CONSENT_CHECK_EVERY_MS', { default: 5_000, min: 50 }),
  /** how long every entry of a contact's provenance is kept; its creation and the newest of each source are kept longer */
  provenanceKeepDays: integer('CONTACT_PROVENANCE_KEEP_DAYS', { default: 730, min: 30, max: 36_500 }),
  databasePoolMax: integer('DATABASE_POOL_MAX', { default: 10, min: 1, max: 200 }),
  /** Connections that audience streams and exports use, and nothing else; two of them are left to exports. */
  databaseLongPoolMax: integer('DATABASE_LONG_POOL_MAX', { default: 6, min: 3, max: 200 }),
}

export type Config = ConfigOf<typeof variables>
export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => readConfig(variables, env)
