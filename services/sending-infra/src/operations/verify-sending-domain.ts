import type {
  VerifySendingDomainRequest,
  VerifySendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { checkDomain } from '../verification/check-domain.ts'

/** Asks the provider and the live DNS how the domain stands, and keeps the evidence. Reads only; sends no email. */
export const verifySendingDomain = (
  ctx: Ctx,
  req: VerifySendingDomainRequest,
): Promise<Reply<typeof VerifySendingDomainResponseSchema>> => checkDomain(ctx, req.domainId)
