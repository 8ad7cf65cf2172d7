import { execute, sql } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'

/**
 * Fails rehearsals whose expected events did not all arrive by the deadline (database clock). Later events are still
 * counted.
 */
export async function failOverdueRehearsals(ctx: Ctx): Promise<void> {
  const failed = await ctx.tx((em) =>
    execute(
      em,
      sql`update rehearsals set state = 'failed', failure_reason = 'events_missing' where state in ('pending', 'sent') and deadline_at <= now()`,
    ),
  )
  if (failed > 0) ctx.metrics.countOverdueRehearsals(failed)
}
