import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Fault } from '@lettergate/fault'

/** Keys by id. The first key encrypts, all keys decrypt. Empty when no key is configured; then no secret can be set. */
export type SealingKeys = ReadonlyMap<string, Buffer>

/** Parses `kid:base64url,…` with keys of 256 bits. Errors do not contain a key. */
export function parseSealingKeys(text: string): SealingKeys {
  const keys = new Map<string, Buffer>()
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [kid = '', encoded = '', ...rest] = entry.trim().split(':')
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(kid) || rest.length > 0 || !/^[A-Za-z0-9_-]+$/.test(encoded))
      throw new Error('must be a comma list of kid:base64url')
    const key = Buffer.from(encoded, 'base64url')
    if (key.length !== 32) throw new Error('must hold keys of 256 bits')
    if (keys.has(kid)) throw new Error('must not name a kid twice')
    keys.set(kid, key)
  }
  return keys
}

const bytes = { min: 24, max: 64 } as const

/**
 * A Standard Webhooks signing secret: `whsec_` and 24 to 64 bytes in base64. The Fault `invalid_argument` does not contain
 * the secret.
 */
export function parseWebhookSecret(text: string): string {
  const encoded = text.startsWith('whsec_') ? text.slice('whsec_'.length) : ''
  const decoded = Buffer.from(encoded, 'base64')
  const isCanonical = decoded.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  if (isCanonical && decoded.length >= bytes.min && decoded.length <= bytes.max)
    return `whsec_${decoded.toString('base64')}`
  throw new Fault(
    'invalid_argument',
    'campaign_webhook_secret',
    `campaign_webhook_secret must be whsec_ and ${bytes.min} to ${bytes.max} bytes in base64.`,
  )
}

const algorithm = 'aes-256-gcm'
const boundTo = (workspaceId: string) => Buffer.from(`campaign_webhook ${workspaceId}`)

/** Encrypts a secret for the row of this workspace. It cannot be decrypted in another row. */
export function seal(keys: SealingKeys, workspaceId: string, secret: string): string {
  const [first] = keys
  if (!first)
    throw new Fault(
      'failed_precondition',
      'campaign_webhook_keys',
      'Webhook secrets cannot be stored yet: the operator of this installation must set CAMPAIGN_WEBHOOK_KEYS.',
    )
  const [kid, key] = first
  const nonce = randomBytes(12)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(boundTo(workspaceId))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return `${kid}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Decrypts the secret. Undefined when its key is not configured any more, or when the row was changed. */
export function open(keys: SealingKeys, workspaceId: string, sealed: string): string | undefined {
  const [kid = '', encoded = ''] = sealed.split(':')
  const key = keys.get(kid)
  const packed = Buffer.from(encoded, 'base64url')
  if (!key || packed.length < 28) return undefined
  try {
    const decipher = createDecipheriv(algorithm, key, packed.subarray(0, 12))
      .setAAD(boundTo(workspaceId))
      .setAuthTag(packed.subarray(12, 28))
    return Buffer.concat([decipher.update(packed.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
