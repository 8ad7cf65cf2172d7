import type {
  ListConsentProofKeysRequest,
  ListConsentProofKeysResponseSchema,
} from '@lettergate/contracts/contacts/v1/consent_proof'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

/** The public halves of the keys that sign and signed consent proofs, for whoever compares a file's fingerprint. */
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
