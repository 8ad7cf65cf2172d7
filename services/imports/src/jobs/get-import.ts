import type { GetImportRequest, GetImportResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireJob } from './import-job.entity.ts'
import { importReply } from './import-reply.ts'

/** Returns one import as it is now. */
export async function getImport(ctx: Ctx, req: GetImportRequest): Promise<Reply<typeof GetImportResponseSchema>> {
  const job = await ctx.tx((em) => requireJob(em, ctx.workspaceId, { id: req.jobId }))
  return { import: importReply(job) }
}
