import { countRowsOf, type CountedTable } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { entities } from '../entities.ts'

/** Tables whose indexes begin with the run, not with the workspace. */
const byRun: Readonly<Record<string, string>> = {
  run_recipients: 'run_id',
  delivery_batches: 'run_id',
  run_tallies: 'run_id',
  run_timeline: 'run_id',
  message_facts: 'origin_id',
}

const tables: CountedTable[] = entities
  .map((entity) => entity.meta)
  .filter(({ properties }) => 'workspaceId' in properties)
  .map(({ tableName }) => ({ table: tableName, column: byRun[tableName] ?? 'workspace_id' }))

/**
 * Counts the stored rows of a rehearsal in every table of campaigns-delivery and contacts-consent that belongs to a workspace.
 * The id of a rehearsal is the workspace of its rows, and the id of its run.
 */
export async function countRemainingRows(ctx: Ctx, rehearsalId: string): Promise<number> {
  const own = await ctx.inWorkspace(rehearsalId).tx((em) => countRowsOf(em, rehearsalId, tables))
  const { rows } = await ctx.contacts.countRehearsedRows(ctx, { rehearsalId }, { timeoutMs: 10_000 })
  return own + rows
}
