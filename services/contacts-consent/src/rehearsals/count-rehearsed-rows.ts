import type {
  CountRehearsedRowsRequest,
  CountRehearsedRowsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { countRowsOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { entities } from '../entities.ts'
import { bodyId } from '../values/ids.ts'

const tables = entities
  .map((entity) => entity.meta)
  .filter(({ properties }) => 'workspaceId' in properties)
  .map(({ tableName }) => ({ table: tableName, column: 'workspace_id' }))

/** Counts the stored rows of a rehearsal in every table of a workspace. Every index of these tables begins with the workspace. */
export async function countRehearsedRows(
  ctx: Ctx,
  req: CountRehearsedRowsRequest,
): Promise<Reply<typeof CountRehearsedRowsResponseSchema>> {
  const rehearsalId = bodyId('rehearsal_id', req.rehearsalId)
  return { rows: await ctx.inWorkspace(rehearsalId).tx((em) => countRowsOf(em, rehearsalId, tables)) }
}
