import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { CancelImportRequest, CancelImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireChange } from './change-job.ts'
import { requireJob } from './import-job.entity.ts'
import { importReply } from './import-reply.ts'

/**
 * Cancels an import in any state but an ended one and destroys its payload in the same transaction. A worker that runs it stops
 * before its next batch; what it applied until then stays.
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
  return { import: importReply(cancelled) }
}
