import type { ApplyImportRowsRequest, ApplyImportRowsResponseSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { applyBatch } from './apply-batch.ts'

/**
 * Writes the contacts and the consent of rows, each row once. A row whose address is suppressed or erased writes nothing, and
 * one whose earlier consent is in doubt records no consent. Fires no trigger.
 */
export function applyImportRows(
  ctx: Ctx,
  req: ApplyImportRowsRequest,
): Promise<Reply<typeof ApplyImportRowsResponseSchema>> {
  return applyBatch(ctx, 'rows', req)
}
