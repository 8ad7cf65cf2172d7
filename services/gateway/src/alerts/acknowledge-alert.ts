import type { AcknowledgeAlertRequest, AcknowledgeAlertResponseSchema } from '@lettergate/contracts/identity/v1/alerts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { sql } from '@lettergate/database'
import { publishFrom } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { Alert, newestAlerts, shownAlert } from './alert.entity.ts'
import { notifyAlerts } from './notify-alerts.ts'
import { isUuid } from '@lettergate/values/uuid'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'

/** Acknowledges an alert. The first user who acknowledged it is kept; the same problem later raises a new alert. */
export async function acknowledgeAlert(
  ctx: Ctx,
  { alertId }: AcknowledgeAlertRequest,
): Promise<Reply<typeof AcknowledgeAlertResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  const { actor, correlationId } = ctx.caller
  if (!isUuid(alertId)) throw noAlert()
  return ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const changed = await em.nativeUpdate(
      Alert,
      { id: alertId, acknowledgedAt: null },
      { acknowledgedBy: actor, acknowledgedAt: ctx.now() },
    )
    const [alert] = await newestAlerts(em, { workspaceIds: null, conditions: [sql`e.id = ${alertId}::uuid`], limit: 1 })
    if (!alert) throw noAlert()
    if (changed > 0) {
      const origin = { workspaceId: alert.workspace_id, correlationId, trace: carrier() }
      const { code, times } = alert
      const init = {
        action: 'alert_acknowledged',
        subjectType: 'alert',
        subjectId: alertId,
        actor,
        detail: { code, times },
      }
      await publishFrom(em, AuditRecordedSchema, [{ origin, init }])
      if (ctx.hasAlertWebhook) await notifyAlerts(em, 'alert.acknowledged', [alertId], ctx.now())
    }
    return { alert: shownAlert(alert) }
  })
}

const noAlert = () => new Fault('not_found', 'alert', 'There is no such alert.')
