import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { RetryImportRequest, RetryImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireAllowed, requireChange, requireInTime, withoutReport } from '../jobs/change-job.ts'
import { requireJob, type ImportJobRow } from '../jobs/import-job.entity.ts'
import { importReply } from '../jobs/import-reply.ts'
import { isApproved } from './approval.ts'
import { requireClosedGates } from './closed-gates.ts'
import { stopBatches } from './stop-batches.ts'

/**
 * Continues a failed import: with a valid approval its apply goes on where it stopped, otherwise a dry run begins, and the earlier
 * apply writes no row any more. The apply needs closed gates, like the approval.
 */
export async function retryImport(ctx: Ctx, req: RetryImportRequest): Promise<Reply<typeof RetryImportResponseSchema>> {
  const { workspaceId } = ctx
  const read = await ctx.tx((em) => requireJob(em, workspaceId, { id: req.jobId }))
  requireAllowed(read, 'retry_apply', 'retried')
  requireInTime(read, ctx.now(), 'retried')
  if (canGoOn(read)) await requireClosedGates(ctx)
  else await stopBatches(ctx, read)

  const retried = await ctx.tx(async (em) => {
    const job = await requireJob(em, workspaceId, { id: req.jobId, isLocked: true })
    const goesOn = canGoOn(job)
    const changed = await requireChange(em, job, goesOn ? 'retry_apply' : 'retry_dry_run', {
      done: 'retried',
      changes: {
        error: null,
        // The next apply begins with the first row: nothing that this one applied counts for it.
        ...(goesOn ? {} : { ...withoutReport, apply_number: job.apply_number + 1 }),
      },
    })
    await publish(em, AuditRecordedSchema, {
      action: 'import_retried',
      subjectType: 'import',
      subjectId: job.id,
      actor: ctx.caller.actor,
      detail: { continues: goesOn ? 'apply' : 'dry_run', after: job.error?.reason ?? null },
    })
    return changed
  })
  ctx.wakeWorkers()
  return { import: importReply(retried) }
}

/** An apply that found its approval invalid would find it invalid again. */
const canGoOn = (job: ImportJobRow): boolean => isApproved(job) && job.error?.reason !== 'approval_invalid'
