import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { columns, sql, statement } from '@lettergate/database'
import { publishFrom } from '@lettergate/events'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { Alert } from './alert.entity.ts'
import { notifyAlerts } from './notify-alerts.ts'

const alertsAtOnce = 100

const endDue = statement('end-due-alerts', columns(Alert, 'id', 'workspace_id', 'code', 'times'))

/**
 * Acknowledges the alerts whose problem is over: their service has not raised them again in the time that it gave. The same
 * problem later raises a new alert. Any number of replicas may run it.
 */
export async function endAlerts(ctx: Ctx): Promise<void> {
  const { actor, correlationId } = ctx.caller
  await ctx.tx(async (em) => {
    const ended = await endDue.rows(
      em,
      sql`update alerts set acknowledged_by = ${actor}, acknowledged_at = now() where id in (
            select id from alerts where acknowledged_at is null and ends_at <= now()
             order by ends_at limit ${alertsAtOnce} for update skip locked)
          returning id, workspace_id, code, times`,
    )
    if (ctx.hasAlertWebhook)
      await notifyAlerts(
        em,
        'alert.acknowledged',
        ended.map(({ id }) => id),
        ctx.now(),
      )
    await publishFrom(
      em,
      AuditRecordedSchema,
      ended.map(({ id, workspace_id: workspaceId, code, times }) => ({
        origin: { workspaceId, correlationId, trace: carrier() },
        init: { action: 'alert_acknowledged', subjectType: 'alert', subjectId: id, actor, detail: { code, times } },
      })),
    )
  })
}
