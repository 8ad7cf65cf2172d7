import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { sql, statement } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'

/** The trace id in a W3C `traceparent`. */
const traceIdOf = (trace: Carrier): string | null => trace['traceparent']?.split('-')[1] ?? null

const insertEntries = statement('insert-audit-entries')

/** Appends an audit event of any service to the audit log, once. */
export const onAuditRecorded = consumer({
  name: 'on-audit-recorded',
  from: '*',
  event: AuditRecordedSchema,
  batch: 100,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const fresh = await firstTime(em, events)
      const all = <T>(of: (event: (typeof fresh)[number]) => T): T[] => fresh.map(of)
      await insertEntries.execute(
        em,
        sql`insert into audit_log (id, workspace_id, occurred_at, correlation_id, trace_id, action, subject_type, subject_id, actor,
                                   actor_kind, auth_method, detail)
            select id, workspace_id, occurred_at, correlation_id, trace_id, action, subject_type, subject_id, actor,
                   actor_kind, auth_method, detail::jsonb
              from unnest(${all(({ id }) => id)}::uuid[], ${all(({ workspaceId }) => workspaceId)}::uuid[],
                          ${all(({ time }) => time)}::timestamptz[], ${all(({ correlationId }) => correlationId)}::text[],
                          ${all(({ trace }) => traceIdOf(trace))}::text[],
                          ${all(({ data }) => data.action)}::text[], ${all(({ data }) => data.subjectType)}::text[],
                          ${all(({ data }) => data.subjectId)}::text[], ${all(({ data }) => data.actor)}::text[],
                          ${all(({ actorKind }) => actorKind)}::text[], ${all(({ authMethod }) => authMethod)}::text[],
                          ${all(({ data }) => JSON.stringify(data.detail ?? {}))}::text[])
                as done (id, workspace_id, occurred_at, correlation_id, trace_id, action, subject_type, subject_id, actor,
                         actor_kind, auth_method, detail)`,
      )
    })
  },
})
