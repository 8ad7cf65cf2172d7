import type { JsonObject } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { AlertSchema as ShownAlertSchema } from '@lettergate/contracts/identity/v1/alerts'
import { columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { defineEntity, p } from '@mikro-orm/core'
import { newest, slugColumns, type Listing } from '../identity/newest.ts'

/** Alerts for platform operators, until a user acknowledges them. */
export const Alert = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid().nullable(),
    code: p.string(),
    severity: p.string(),
    summary: p.string(),
    detail: p.json<JsonObject>(),
    raisedAt: p.datetime(),
    acknowledgedBy: p.string().nullable(),
    acknowledgedAt: p.datetime().nullable(),
    openKey: p.string().nullable(),
    times: p.integer(),
    lastRaisedAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
  },
})

const alertColumns = { ...columns(Alert), ...slugColumns }
const selectAlerts = statement('select-newest-alerts', alertColumns)
export type AlertRow = RowOf<typeof alertColumns>

/** The newest alerts that match all conditions. Needs a system transaction. */
export const newestAlerts = (em: Em, listing: Listing): Promise<AlertRow[]> =>
  selectAlerts.rows(em, newest(sql`alerts`, listing))

/** An alert of the API, with the link to its runbook. */
export const shownAlert = (alert: AlertRow): Reply<typeof ShownAlertSchema> => ({
  id: alert.id,
  code: alert.code,
  severity: alert.severity,
  summary: alert.summary,
  detail: alert.detail,
  organization: alert.organization ?? undefined,
  workspace: alert.workspace ?? undefined,
  raisedAt: timestampFromDate(new Date(alert.raised_at)),
  lastRaisedAt: timestampFromDate(new Date(alert.last_raised_at ?? alert.raised_at)),
  times: alert.times,
  runbook: `docs/runbooks/${alert.code}.md`,
  acknowledgedBy: alert.acknowledged_by ?? undefined,
  acknowledgedAt: alert.acknowledged_at === null ? undefined : timestampFromDate(new Date(alert.acknowledged_at)),
})
