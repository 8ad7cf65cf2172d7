import type {
  ApplyImportSuppressionsRequest,
  ApplyImportSuppressionsResponseSchema,
} from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { applyBatch } from './apply-batch.ts'

/**
 * Withdraws or suppresses the addresses of rows, each row once. An address without a contact becomes one, so that no later file
 * can bring it back.
 */
export function applyImportSuppressions(
  ctx: Ctx,
  req: ApplyImportSuppressionsRequest,
): Promise<Reply<typeof ApplyImportSuppressionsResponseSchema>> {
  return applyBatch(ctx, 'suppressions', req)
}
