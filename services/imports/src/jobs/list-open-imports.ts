import type { ListOpenImportsRequest, ListOpenImportsResponseSchema } from '@lettergate/contracts/imports/v1/imports'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ImportJob } from './import-job.entity.ts'
import { importStatuses, isEnded } from './import-status.ts'

const listedMax = 20
const open = importStatuses.filter((status) => !isEnded(status))

/** Lists the newest imports of the workspace that have not ended, newest first: at most 20. */
export async function listOpenImports(
  ctx: Ctx,
  _req: ListOpenImportsRequest,
): Promise<Reply<typeof ListOpenImportsResponseSchema>> {
  const imports = await ctx.tx((em) =>
    kyselyOf(em, ImportJob)
      .selectFrom('import_jobs')
      .select(['id', 'status'])
      .where('workspace_id', '=', ctx.workspaceId)
      .where('status', 'in', open)
      .orderBy('id', 'desc')
      .limit(listedMax)
      .execute(),
  )
  return { imports }
}
