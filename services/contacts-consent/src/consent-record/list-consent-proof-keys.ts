import type {
  ListConsentProofKeysRequest,
  ListConsentProofKeysResponseSchema,
} from '@lettergate/contracts/contacts/v1/consent_proof'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

/** The public keys of current and former signing keys of consent proofs, to compare with the fingerprint in a file. */
export function listConsentProofKeys(
  ctx: Ctx,
  _req: ListConsentProofKeysRequest,
): Promise<Reply<typeof ListConsentProofKeysResponseSchema>> {
  const keys = ctx.config.consentProofKeys.map(({ keyId, publicKey, fingerprint }) => ({
    keyId,
    publicKey,
    fingerprint,
  }))
  return Promise.resolve({ keys })
}
