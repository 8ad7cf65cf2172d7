import { sql, statement } from '@lettergate/database'
import { purge, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'

const deleteAlerts = statement('delete-acknowledged-alerts')

/** Deletes alerts that were acknowledged more than those days ago, in steps. The audit log keeps the acknowledgement. Any number of replicas may run it. */
export async function purgeAcknowledgedAlerts(ctx: Ctx, days: number): Promise<Purged['result']> {
  const { deleted, result } = await purge((most) =>
    ctx.tx((em) =>
      deleteAlerts.execute(
        em,
        sql`delete from alerts where id in (
              select id from alerts where acknowledged_at < now() - ${days} * interval '1 day'
               limit ${most} for update skip locked)`,
      ),
    ),
  )
  if (deleted > 0) ctx.log.info({ deleted, days }, 'old acknowledged alerts deleted')
  return result
}
