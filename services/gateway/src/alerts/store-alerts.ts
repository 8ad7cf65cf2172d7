import type { JsonObject } from '@bufbuild/protobuf'
import { columns, sql, statement, type Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { Alert } from './alert.entity.ts'
import { notifyAlerts } from './notify-alerts.ts'

/** An alert of a service, or the end of its condition. */
export interface Raised {
  id: string
  workspaceId: string | null
  time: Date
  code: string
  severity?: string
  summary?: string
  detail?: JsonObject | undefined
  about?: string | undefined
  lastsSeconds?: number | undefined
  isOver?: boolean
}

/** Stores alerts in their order, and queues the new ones for the receiver of the platform. Needs a system transaction. */
export async function storeAlerts(ctx: Ctx, em: Em, raised: readonly Raised[]): Promise<void> {
  const added: string[] = []
  for (const alert of raised) {
    if (alert.isOver) {
      await end(em, alert)
      continue
    }
    if (await keep(em, alert)) added.push(alert.id)
    ctx.log.warn({ alert: alert.code, severity: alert.severity }, 'an alert was raised')
  }
  if (ctx.hasAlertWebhook) await notifyAlerts(em, 'alert.raised', added, ctx.now())
}

const openKey = ({ code, workspaceId, about }: Raised, otherwise: ReturnType<typeof sql>) =>
  sql`concat_ws(' ', ${code}::text, ${workspaceId}::text, coalesce(${about ?? null}::text, ${otherwise}))`

const endOpen = statement('end-open-alert')

/** The job `end-alerts` acknowledges it, within seconds. An alert that was raised after the end of the condition stays. */
const end = (em: Em, alert: Raised) =>
  endOpen.execute(
    em,
    sql`update alerts set ends_at = now()
         where open_key = ${openKey(alert, sql`''`)} and acknowledged_at is null and coalesce(last_raised_at, raised_at) <= ${alert.time}::timestamptz`,
  )

const keepAlert = statement('keep-alert', columns(Alert, 'times'))

/**
 * Answers whether the alert is a new one. Alerts may arrive in another order than they were raised. The time until the end
 * starts when the alert arrives, by the clock of the database.
 */
async function keep(em: Em, alert: Raised): Promise<boolean> {
  const { id, workspaceId, time, code, summary = '', detail = {}, lastsSeconds } = alert
  const severity = alert.severity === 'critical' ? 'critical' : 'warning'
  const hash = sql`encode(sha256(convert_to(d.detail::text, 'UTF8')), 'hex')`
  const kept = await keepAlert.row(
    em,
    sql`insert into alerts as a (id, workspace_id, code, severity, summary, detail, raised_at, last_raised_at, ends_at, open_key)
        select ${id}::uuid, ${workspaceId}::uuid, ${code}, ${severity}, ${summary}, d.detail, ${time}::timestamptz, ${time}::timestamptz,
               now() + ${lastsSeconds ?? null}::float8 * interval '1 second', ${openKey(alert, hash)}
          from (select ${JSON.stringify(detail)}::jsonb as detail) d
        on conflict (open_key) where acknowledged_at is null do update set
          times = a.times + 1,
          raised_at = least(a.raised_at, excluded.raised_at),
          last_raised_at = greatest(a.last_raised_at, excluded.last_raised_at),
          ends_at = excluded.ends_at,
          (severity, summary, detail) = (
            select severity, summary, detail
              from (values (1, a.last_raised_at, a.severity, a.summary, a.detail),
                           (2, excluded.last_raised_at, excluded.severity, excluded.summary, excluded.detail)) raised (arrived, at, severity, summary, detail)
             order by at desc, arrived desc limit 1)
        returning times`,
  )
  return kept?.times === 1
}
