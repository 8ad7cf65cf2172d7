import type { StopImportRequest, StopImportResponseSchema } from '@lettergate/contracts/contacts/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { bodyId } from '../values/ids.ts'
import { epochMax, parseEpoch } from './import-plan.ts'
import { stopBatches, waitForBatches } from './stopped-import.entity.ts'

/**
 * Ends what a worker applies of an import, and all workers before it: after the answer, none of them writes a row. Waits for the
 * batches that are being written. A later call continues to wait, so it is safe to repeat.
 */
export async function stopImport(ctx: Ctx, req: StopImportRequest): Promise<Reply<typeof StopImportResponseSchema>> {
  const { workspaceId } = ctx
  const importId = bodyId('import_id', req.importId)
  const epoch = req.epoch === undefined ? epochMax : parseEpoch(req.epoch)
  await ctx.tx((em) => stopBatches(em, workspaceId, { importId, epoch }))
  await ctx.tx((em) => waitForBatches(em, importId))
  return {}
}
