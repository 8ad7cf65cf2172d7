import type { ListImportsRequest, ListImportsResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import type { Em } from '@lettergate/database'
import { fitting } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { selectImportJobs, type ImportJobRow } from './import-job.entity.ts'
import { importReply } from './import-reply.ts'

/** Imports are kept for ever and one answer is limited, so older ones than these are read by their id. */
export const listedMax = 1_000

/** Read at once, because headers and mappings can be large. */
const pageRows = 50

/** Lists the newest imports, newest first: at most 1,000, and fewer if their headers, mappings and reports are very large. */
export async function listImports(
  ctx: Ctx,
  _req: ListImportsRequest,
): Promise<Reply<typeof ListImportsResponseSchema>> {
  const listed = await ctx.tx((em) => newestImports(em, ctx.workspaceId))
  return { imports: listed.map(importReply) }
}

async function newestImports(em: Em, workspaceId: string): Promise<ImportJobRow[]> {
  const listed: ImportJobRow[] = []
  while (listed.length < listedMax) {
    const last = listed.at(-1)
    const page = await selectImportJobs(em, workspaceId)
      .$if(last !== undefined, (select) => select.where('id', '<', last!.id))
      .orderBy('id', 'desc')
      .limit(pageRows)
      .execute()
    listed.push(...page)
    const fits = fitting(listed, ({ headers, mapping, policy, report }) => ({ headers, mapping, policy, report }))
    if (fits.length < listed.length || page.length < pageRows) return fits
  }
  return listed
}
