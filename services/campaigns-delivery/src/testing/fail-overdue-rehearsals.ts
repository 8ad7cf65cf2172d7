import { kyselyOf, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { Rehearsal } from './rehearsal.entity.ts'

/**
 * Fails rehearsals whose expected events did not all arrive by the deadline (database clock). Later events are still
 * counted.
 */
export async function failOverdueRehearsals(ctx: Ctx): Promise<void> {
  const { numUpdatedRows } = await ctx.tx((em) =>
    kyselyOf(em, Rehearsal)
      .updateTable('rehearsals')
      .set({ state: 'failed', failure_reason: 'events_missing' })
      .where('state', 'in', ['pending', 'sent'])
      .where('deadline_at', '<=', sql<string>`now()`)
      .executeTakeFirst(),
  )
  const failed = Number(numUpdatedRows)
  if (failed > 0) ctx.metrics.countOverdueRehearsals(failed)
}
