import { column, columns, leftJoined, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { Enrollment } from './enrollment.entity.ts'
import { EnrollmentPosition } from './enrollment-position.entity.ts'
import type { EnrollmentState } from './enrollment-state.ts'

const listedColumns = {
  ...columns(Enrollment, 'id', 'workspace_id', 'automation_id', 'version_id', 'synthetic_context_id', 'enrolled_at'),
  ...columns(Enrollment, 'end_state', 'ended_at', 'contact_id', 'trigger_type', 'audience_id', 'has_virtual_clock'),
  state: column.text<EnrollmentState>(),
  current_node_key: nullable(column.text()),
  provider_calls: column.integer(),
}
const selectListed = statement('select-enrollments', listedColumns)
const selectOne = statement('select-enrollment', listedColumns)

export type EnrollmentListRow = RowOf<typeof listedColumns>

/**
 * An enrollment e with its state and what it sent. The state is that of the position while there is one. A failed enrollment has no
 * position, so it is at the node of its last step.
 */
const listed = (workspaceId: string) => sql`
  select e.id, e.workspace_id, e.automation_id, e.version_id, e.synthetic_context_id, e.enrolled_at, e.end_state, e.ended_at,
         e.contact_id, e.trigger_type, e.audience_id, e.has_virtual_clock, coalesce(p.state, e.end_state) as state,
         coalesce(p.node_key, case when e.end_state = 'failed' then (
           select k.node_key from enrollment_steps k where k.workspace_id = ${workspaceId} and k.enrollment_id = e.id
            order by k.number desc limit 1) end) as current_node_key,
         case when e.synthetic_context_id is not null then 0 else (
           select count(*)::int from enrollment_steps k
            where k.workspace_id = ${workspaceId} and k.enrollment_id = e.id and k.message_id is not null) end as provider_calls
    from enrollments e
    left join lateral (select k.state, k.node_key from enrollment_positions k
                        where k.workspace_id = ${workspaceId} and k.enrollment_id = e.id limit 1) p on true
   where e.workspace_id = ${workspaceId}`

interface Page {
  readonly workspaceId: string
  readonly automationId: string
  /** the last enrollment of the previous page */
  readonly after: string | null
  readonly most: number
}

/** Enrollments of an automation, newest first. */
export const readEnrollmentPage = (
  em: Em,
  { workspaceId, automationId, after, most }: Page,
): Promise<EnrollmentListRow[]> =>
  selectListed.rows(
    em,
    sql`${listed(workspaceId)} and e.automation_id = ${automationId} and (${after}::uuid is null or e.id < ${after}::uuid)
         order by e.id desc limit ${most}`,
  )

const contactColumns = {
  ...listedColumns,
  automation_name: column.text(),
  ...leftJoined(columns(EnrollmentPosition, 'arrived_at')),
  ...columns(EnrollmentPosition, 'wait_until', 'waiting_reason'),
  end_reason: nullable(column.text()),
  ended_by: nullable(column.text()),
}
const selectOfContact = statement('select-enrollments-of-contact', contactColumns)

/** Enrollments of a contact, newest first, with where it is now, and of ended ones the last event of that end. */
export const readContactPage = (
  em: Em,
  { workspaceId, contactId, after, most }: Omit<Page, 'automationId'> & { readonly contactId: string },
): Promise<RowOf<typeof contactColumns>[]> =>
  selectOfContact.rows(
    em,
    sql`with page as materialized (
          ${listed(workspaceId)} and e.contact_id = ${contactId} and (${after}::uuid is null or e.id < ${after}::uuid)
           order by e.id desc limit ${most})
        select l.*, a.name as automation_name, p.arrived_at, p.wait_until, p.waiting_reason, v.reason as end_reason, v.actor as ended_by
          from page l
          join automations a on a.workspace_id = ${workspaceId} and a.id = l.automation_id
          left join enrollment_positions p on p.workspace_id = ${workspaceId} and p.enrollment_id = l.id
          left join lateral (select k.reason, k.actor from enrollment_events k
                              where k.workspace_id = ${workspaceId} and k.enrollment_id = l.id and k.event = l.end_state
                              order by k.at desc, k.id desc limit 1) v on true
         order by l.id desc`,
  )

export const findEnrollment = (em: Em, workspaceId: string, id: string): Promise<EnrollmentListRow | undefined> =>
  selectOne.row(em, sql`${listed(workspaceId)} and e.id = ${id}`)

/** An enrollment without its timeline. */
export const listedEnrollment = (enrollment: EnrollmentListRow) => ({
  id: enrollment.id,
  workspaceId: enrollment.workspace_id,
  automationId: enrollment.automation_id,
  automationVersionId: enrollment.version_id,
  state: enrollment.state,
  synthetic: enrollment.synthetic_context_id !== null,
  enrolledAt: moment(enrollment.enrolled_at),
  providerCalls: enrollment.provider_calls,
  webhookCalls: 0,
  ...(enrollment.current_node_key === null ? {} : { currentNodeKey: enrollment.current_node_key }),
  ...(enrollment.end_state === 'completed' ? { completedAt: moment(enrollment.ended_at!) } : {}),
})
