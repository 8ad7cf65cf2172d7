import { Fault } from '@lettergate/fault'
import { open, seal, type SealingKeys } from '@lettergate/sealing'

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

const boundTo = (workspaceId: string) => `campaign_webhook ${workspaceId}`

/** Encrypts a secret for the row of this workspace. It cannot be decrypted in another row. */
export function sealSecret(keys: SealingKeys, workspaceId: string, secret: string): string {
  if (keys.size === 0)
    throw new Fault(
      'failed_precondition',
      'campaign_webhook_keys',
      'Webhook secrets cannot be stored yet: the operator of this installation must set CAMPAIGN_WEBHOOK_KEYS.',
    )
  return seal(keys, boundTo(workspaceId), Buffer.from(secret))
}

/** Decrypts the secret. Undefined when its key is not configured any more, or when the row was changed. */
export const openSecret = (keys: SealingKeys, workspaceId: string, sealed: string): string | undefined =>
  open(keys, boundTo(workspaceId), sealed)?.toString('utf8')
