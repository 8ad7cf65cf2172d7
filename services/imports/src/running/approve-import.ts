import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { ApproveImportRequest, ApproveImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireAllowed, requireChange, requireInTime } from '../jobs/change-job.ts'
import { requireJob } from '../jobs/import-job.entity.ts'
import { importReply } from '../jobs/import-reply.ts'
import { approvalChecksumOf, confirmationOf, isReportIntact } from './approval.ts'
import { requireClosedGates } from './closed-gates.ts'

/**
 * Approves the report of an import and queues its apply. The caller must confirm with the exact text and can name the report by
 * its checksum, the report must be the one that the dry run stored, and nothing may be able to send. Of concurrent approvals one is accepted.
 */
export async function approveImport(
  ctx: Ctx,
  req: ApproveImportRequest,
): Promise<Reply<typeof ApproveImportResponseSchema>> {
  const { workspaceId, caller } = ctx
  const expected = confirmationOf(req.jobId.toLowerCase(), caller)
  if (req.confirmation !== expected)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly: ${expected}`)
  const read = await ctx.tx((em) => requireJob(em, workspaceId, { id: req.jobId }))
  if (req.reportChecksum !== undefined && req.reportChecksum !== read.report_checksum) throw otherReport()
  requireAllowed(read, 'approve', 'approved')
  requireInTime(read, ctx.now(), 'approved')
  if (!isReportIntact(read)) throw reportChanged()
  await requireClosedGates(ctx)

  const approved = await ctx.tx(async (em) => {
    const job = await requireJob(em, workspaceId, { id: req.jobId, isLocked: true })
    const changed = await requireChange(em, job, 'approve', {
      done: 'approved',
      changes: { approval_checksum: approvalChecksumOf(job), approved_by_wallet_id: caller.actor, error: null },
    })
    requireInTime(job, ctx.now(), 'approved')
    // It was mapped and evaluated again while the gates were read.
    if (job.epoch !== read.epoch) throw reportChanged()
    await publish(em, AuditRecordedSchema, {
      action: 'import_approved',
      subjectType: 'import',
      subjectId: job.id,
      actor: caller.actor,
      detail: {
        file_sha256: job.file_sha256,
        report_checksum: job.report_checksum,
        approval_checksum: changed.approval_checksum,
      },
    })
    return changed
  })
  ctx.wakeWorkers()
  return { import: importReply(approved) }
}

const otherReport = () =>
  new Fault(
    'conflict',
    'report_checksum',
    'report_checksum is not the one of the report that this import has now. Read the import again, and approve what it shows then.',
  )

const reportChanged = () =>
  new Fault(
    'failed_precondition',
    'report_changed',
    'The report is not the one that was read. Read the import again, and approve what it shows then.',
  )
