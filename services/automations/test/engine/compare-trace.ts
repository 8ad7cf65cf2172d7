import { expect } from '@jest/globals'
import type { EnrollmentModel } from './enrollment-model.ts'

/** The automation of a trace in the database and in the model. */
export interface Compared {
  readonly query: (text: string, params?: unknown[]) => Promise<Record<string, unknown>[]>
  readonly workspaceId: string
  readonly contactIds: readonly string[]
  readonly model: EnrollmentModel
}

/** Compares the states, the steps, the events and the work of all enrollments. */
export async function compareEnrollments({ query, workspaceId, contactIds, model }: Compared) {
  const rows = await query(
    `select e.contact_id, e.synthetic_context_id is not null as synthetic, coalesce(e.end_state, p.state) as state, p.node_key as node, p.step_number as number, p.wait_until, p.failed_attempts,
              array(select k.number || ' ' || k.node_key || ' ' || concat_ws(' ', k.outcome, k.branch, nullif(array_to_string(k.reasons, ' '), ''))
                      from automations.enrollment_steps k where k.workspace_id = e.workspace_id and k.enrollment_id = e.id order by k.number) as steps,
              array(select v.event from automations.enrollment_events v
                     where v.workspace_id = e.workspace_id and v.enrollment_id = e.id order by v.at) as events,
              exists (select from automations.due_enrollments d
                       where d.workspace_id = e.workspace_id and d.enrollment_id = e.id and d.due_at = p.due_at) as due,
              p.state is not null and exists (select from automations.held_enrollments h
                                               where h.workspace_id = e.workspace_id and h.enrollment_id = e.id) as held
         from automations.enrollments e
         left join automations.enrollment_positions p on p.workspace_id = e.workspace_id and p.enrollment_id = e.id
        where e.workspace_id = $1 order by e.enrolled_at, e.id`,
    [workspaceId],
  )
  expect(rows).toEqual(
    model.enrollments.map((one) => ({
      contact_id: contactIds[one.contact],
      synthetic: one.isSynthetic,
      state: one.state,
      node: one.isIn ? one.node : null,
      number: one.isIn ? one.number : null,
      wait_until: one.isIn && one.waitUntil !== null ? new Date(one.waitUntil) : null,
      failed_attempts: one.isIn ? one.failedAttempts : null,
      steps: [...one.finished]
        .toSorted(([a], [b]) => a - b)
        .map(([number, { node, text }]) => `${number} ${node} ${text}`),
      events: one.events,
      due: one.isDue,
      held: one.isHeld,
    })),
  )
}

/** Compares the effects on the contacts. */
export async function compareContacts({ query, workspaceId, model }: Compared) {
  const rows = await query(
    `select c.score, exists (select from contacts.memberships m where m.workspace_id = c.workspace_id and m.contact_id = c.id and m.is_active) as "isMember",
            exists (select from contacts.contact_tags t where t.workspace_id = c.workspace_id and t.contact_id = c.id) as "isTagged"
         from contacts.contacts c where c.workspace_id = $1 order by c.id`,
    [workspaceId],
  )
  expect(rows).toEqual(model.contacts)
}

/** No work, no contact who is set aside and no claim is left. Old due work without a position may be. */
export async function expectNothingLeft({ query, workspaceId, model }: Compared) {
  const left = await query(
    `select 'due' as left_over from automations.due_enrollments where workspace_id = $1 and due_at > $2
     union all select 'held' from automations.held_enrollments where workspace_id = $1
     union all select 'claim' from automations.enrollment_claims where workspace_id = $1`,
    [workspaceId, new Date(model.now)],
  )
  expect(left).toEqual([])
}
