import { randomBytes } from 'node:crypto'
import { makeKey } from '@lettergate/events/broker-keys'
import { keyVariable, userNames } from '@lettergate/nats/users'

/** The provider keys and the credential of the wallet, which come from outside. */
export interface GivenSecrets {
  walletClientSecret: string
  providerApiKey: string
  providerSigningKey: string
}

/** The keys of one installation, before they become Secrets of Kubernetes or files for docker compose. */
export interface InstallationKeys {
  /** The secret variables of each process, by the user of NATS that it is. */
  readonly ofProcess: Readonly<Record<string, Record<string, string>>>
  /** The variables with the keys of the mail provider. */
  readonly provider: Record<string, string>
  /** The password of each role that logs in to the database. */
  readonly databasePasswords: Readonly<Record<string, string>>
  /** The variables of nats-server with the public key of each user. */
  readonly natsPublicKeys: Record<string, string>
}

/** 32 random bytes with a key id, in the form of a key ring. */
const keyRing = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`

/** Hexadecimal, because the password becomes a part of a URL. */
export const newPassword = (): string => randomBytes(24).toString('hex')

/** The roles of the database that log in. */
const databaseRoles = [
  'automations',
  'campaigns',
  'contacts',
  'identity',
  'imports',
  'sending',
  'webhooks',
  'lettergate_migrator',
]

/**
 * New random keys for an installation. Make them once: links in emails, consent proofs and encrypted files need the same keys for
 * ever.
 */
export function newKeys(given: GivenSecrets): InstallationKeys {
  const users = userNames.map((name) => [name, makeKey()] as const)
  const ownKeys: Record<string, Record<string, string>> = {
    gateway: {
      WALLET_CLIENT_SECRET: given.walletClientSecret,
      SERVICE_API_KEY: randomBytes(32).toString('base64url'),
    },
    'contacts-consent': {
      PREFERENCE_SIGNING_KEYS: keyRing('k1'),
      CONSENT_PROOF_SIGNING_KEY: keyRing('p1'),
      ERASURE_HASH_KEYS: keyRing('e1'),
    },
    'campaigns-delivery': { CAMPAIGN_WEBHOOK_KEYS: keyRing('k1') },
    imports: { IMPORT_KEYS: keyRing('k1') },
  }
  return {
    ofProcess: Object.fromEntries(users.map(([name, { seed }]) => [name, { NATS_NKEY_SEED: seed, ...ownKeys[name] }])),
    provider: {
      MAILPROVIDER_API_KEY: given.providerApiKey,
      MAILPROVIDER_WEBHOOK_SIGNING_KEY: given.providerSigningKey,
    },
    databasePasswords: Object.fromEntries(databaseRoles.map((role) => [role, newPassword()])),
    natsPublicKeys: Object.fromEntries(users.map(([name, { publicKey }]) => [keyVariable(name), publicKey])),
  }
}
