import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { JsonObject } from '@bufbuild/protobuf'
import { columns, sql, statement, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { Alert } from './alert.entity.ts'
import { notifyAlerts } from './notify-alerts.ts'

/**
 * Stores an alert of any service once. An alert that equals an unacknowledged one is counted on that, with the text of the
 * last one.
 */
export const onAlertRaised = consumer({
  name: 'on-alert-raised',
  from: '*',
  event: AlertRaisedSchema,
  handle: async (ctx: Ctx, events) => {
    await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
      const added: string[] = []
      for (const { id, workspaceId, time, data } of await firstTime(em, events)) {
        const { code, summary, detail = {}, about, lastsSeconds } = data
        const severity = data.severity === 'critical' ? 'critical' : 'warning'
        const isNew = await keep(em, { id, workspaceId, time, code, severity, summary, detail, about, lastsSeconds })
        if (isNew) added.push(id)
        ctx.log.warn({ alert: code, severity }, 'an alert was raised')
      }
      if (ctx.hasAlertWebhook) await notifyAlerts(em, 'alert.raised', added, ctx.now())
    })
  },
})

interface Raised {
  id: string
  workspaceId: string | null
  time: Date
  code: string
  severity: string
  summary: string
  detail: JsonObject
  about: string | undefined
  lastsSeconds: number | undefined
}

const keepAlert = statement('keep-alert', columns(Alert, 'times'))

/**
 * Answers whether the alert is a new one. Alerts may arrive in another order than they were raised. The time until the end starts when the alert arrives, by the clock
 * of the database.
 */
const keep = async (em: Em, { id, workspaceId, time, code, severity, summary, detail, about, lastsSeconds }: Raised) =>
  (
    await keepAlert.row(
      em,
      sql`insert into alerts as a (id, workspace_id, code, severity, summary, detail, raised_at, last_raised_at, ends_at, open_key)
        select ${id}::uuid, ${workspaceId}::uuid, ${code}, ${severity}, ${summary}, d.detail, ${time}::timestamptz, ${time}::timestamptz,
               now() + ${lastsSeconds ?? null}::float8 * interval '1 second',
               concat_ws(' ', ${code}::text, ${workspaceId}::text,
                         coalesce(${about ?? null}::text, encode(sha256(convert_to(d.detail::text, 'UTF8')), 'hex')))
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
  )?.times === 1
