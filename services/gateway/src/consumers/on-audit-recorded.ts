import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'

/** Appends what any service says was done to the audit log, once. */
export const onAuditRecorded = consumer({
  name: 'on-audit-recorded',
  from: '*',
  event: AuditRecordedSchema,
  batch: 100,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      for (const { id, workspaceId, time, correlationId, data } of await firstTime(em, events)) {
        await execute(
          em,
          sql`insert into audit_log (id, workspace_id, action, subject_type, subject_id, actor, detail, occurred_at, correlation_id)
              values (${id}::uuid, ${workspaceId}::uuid, ${data.action}, ${data.subjectType}, ${data.subjectId}, ${data.actor},
                      ${JSON.stringify(data.detail ?? {})}::jsonb, ${time}, ${correlationId})`,
        )
      }
    })
  },
})
