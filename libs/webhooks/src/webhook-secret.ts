import { Fault } from '@lettergate/fault'

const bytes = { min: 24, max: 64 } as const

/**
 * A Standard Webhooks signing secret: `whsec_` and 24 to 64 bytes in base64. The Fault `invalid_argument` does not contain
 * the secret.
 */
export function parseWebhookSecret(text: string, field = 'secret'): string {
  const encoded = text.startsWith('whsec_') ? text.slice('whsec_'.length) : ''
  const decoded = Buffer.from(encoded, 'base64')
  const isCanonical = decoded.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  if (isCanonical && decoded.length >= bytes.min && decoded.length <= bytes.max)
    return `whsec_${decoded.toString('base64')}`
  throw new Fault(
    'invalid_argument',
    field,
    `${field} must be whsec_ and ${bytes.min} to ${bytes.max} bytes in base64.`,
  )
}
