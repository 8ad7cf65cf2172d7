import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'

/** Keeps what any service wants a person to look at, once. */
export const onAlertRaised = consumer({
  name: 'on-alert-raised',
  from: '*',
  event: AlertRaisedSchema,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      for (const { id, workspaceId, time, data } of await firstTime(em, events)) {
        const severity = data.severity === 'critical' ? 'critical' : 'warning'
        await execute(
          em,
          sql`insert into alerts (id, workspace_id, code, severity, summary, detail, raised_at)
              values (${id}::uuid, ${workspaceId}::uuid, ${data.code}, ${severity}, ${data.summary}, ${JSON.stringify(data.detail ?? {})}::jsonb, ${time})`,
        )
        ctx.log.warn({ alert: data.code, severity }, 'an alert was raised')
      }
    })
  },
})
