import { create } from '@bufbuild/protobuf'
import { AlertSchema } from '@lettergate/contracts/identity/v1/alerts'
import { sql, type Em } from '@lettergate/database'
import { compileJson } from '@lettergate/message-json'
import { newestAlerts, shownAlert } from './alert.entity.ts'
import { appendNotices, type NoticeType } from './alert-notice.entity.ts'

const toJson = compileJson(AlertSchema)

/** Queues one event for each of these alerts, as they are now, in the transaction that changed them. Needs a system transaction. */
export async function notifyAlerts(em: Em, type: NoticeType, alertIds: readonly string[], at: Date): Promise<void> {
  if (alertIds.length === 0) return
  const alerts = await newestAlerts(em, {
    workspaceIds: null,
    conditions: [sql`e.id = any(${alertIds}::uuid[])`],
    limit: alertIds.length,
  })
  const notices = alerts.map((alert) => ({
    alertId: alert.id,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data: toJson(create(AlertSchema, shownAlert(alert))) }),
  }))
  await appendNotices(em, notices)
}
