import type {
  VerifySendingDomainRequest,
  VerifySendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { checkDomain } from './check-domain.ts'

/** Checks the domain at the provider and in the live DNS, and stores the evidence. It only reads and sends no email. */
export const verifySendingDomain = (
  ctx: Ctx,
  req: VerifySendingDomainRequest,
): Promise<Reply<typeof VerifySendingDomainResponseSchema>> => checkDomain(ctx, req.domainId)
