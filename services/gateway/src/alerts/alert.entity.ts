import type { JsonObject } from '@bufbuild/protobuf'
import type { AlertSchema as ShownAlertSchema } from '@lettergate/contracts/identity/v1/alerts'
import { columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
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
  raisedAt: moment(alert.raised_at),
  lastRaisedAt: moment(alert.last_raised_at ?? alert.raised_at),
  times: alert.times,
  runbook: `docs/runbooks/${alert.code}.md`,
  acknowledgedBy: alert.acknowledged_by ?? undefined,
  acknowledgedAt: moment(alert.acknowledged_at),
})
