import { Fault } from '@lettergate/fault'
import { open, seal, type SealingKeys } from '@lettergate/sealing'

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
