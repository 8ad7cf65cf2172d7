import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { CancelImportRequest, CancelImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireChange } from '../jobs/change-job.ts'
import { requireJob } from '../jobs/import-job.entity.ts'
import { importReply } from '../jobs/import-reply.ts'
import { tryToStopBatches } from './stop-batches.ts'

/**
 * Cancels an import in any state but an ended one and destroys its payload in the same transaction, also while contacts-consent does
 * not answer. If it answers, no row is written after the answer to the cancel. What was applied until then stays.
 */
export async function cancelImport(
  ctx: Ctx,
  req: CancelImportRequest,
): Promise<Reply<typeof CancelImportResponseSchema>> {
  const cancelled = await ctx.tx(async (em) => {
    const job = await requireJob(em, ctx.workspaceId, { id: req.jobId, isLocked: true })
    const changed = await requireChange(em, job, 'cancel', { done: 'cancelled' })
    await publish(em, AuditRecordedSchema, {
      action: 'import_cancelled',
      subjectType: 'import',
      subjectId: job.id,
      actor: ctx.caller.actor,
      detail: { previous_status: job.status },
    })
    return changed
  })
  await tryToStopBatches(ctx, cancelled)
  return { import: importReply(cancelled) }
}
