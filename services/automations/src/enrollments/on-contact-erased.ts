import { ContactErasedSchema } from '@lettergate/contracts/events/v1/events'
import { columns, listOf, sql, statement, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { EnrollmentPosition } from './enrollment-position.entity.ts'
import { recordErasure } from './erased-contact.entity.ts'
import { recordUnsettled } from './move-enrollment.ts'

/**
 * Cancels the enrollments of an erased contact, and stores its id, so that no late trigger enrols it. What remains of them are ids,
 * times and outcomes.
 */
export const onContactErased = consumer({
  name: 'on-contact-erased',
  from: 'contacts-consent',
  event: ContactErasedSchema,
  async handle(ctx: Ctx, events) {
    await ctx.tx(async (em) => {
      for (const { data } of await firstTime(em, events)) {
        const { contactId } = data
        if (!isUuid(contactId)) continue
        await recordErasure(em, ctx.workspaceId, contactId)
        await cancelAll(em, ctx.workspaceId, { contactId, at: ctx.now() })
      }
    })
  },
})

const lockedColumns = columns(
  EnrollmentPosition,
  'enrollment_id',
  'step_id',
  'step_number',
  'node_key',
  'arrived_at',
  'waiting_reason',
)
const lockOfContact = statement('lock-enrollments-of-contact', lockedColumns)
const cancelOfContact = statement('cancel-enrollments-of-contact')

/**
 * Ends the enrollments in which the contact is. A step under way is still recorded, and so is an email that may be sent. The positions are locked by a statement of their
 * own: the next one then sees the due rows that a worker has inserted meanwhile.
 */
async function cancelAll(
  em: Em,
  workspaceId: string,
  { contactId, at }: { contactId: string; at: Date },
): Promise<void> {
  const now = at.toISOString()
  const positions = await lockOfContact.rows(
    em,
    sql`select ${listOf(lockedColumns, 'p')} from enrollment_positions p where workspace_id = ${workspaceId} and contact_id = ${contactId}
         order by enrollment_id for update`,
  )
  await recordUnsettled(em, workspaceId, { positions, now: at })
  await cancelOfContact.execute(
    em,
    sql`with gone as (
          delete from enrollment_positions where workspace_id = ${workspaceId} and contact_id = ${contactId} returning enrollment_id, due_at, automation_id),
        idle as (
          delete from due_enrollments d using gone
           where d.workspace_id = ${workspaceId} and d.due_at = gone.due_at and d.enrollment_id = gone.enrollment_id),
        unheld as (
          delete from held_enrollments h using gone
           where h.workspace_id = ${workspaceId} and h.automation_id = gone.automation_id and h.enrollment_id = gone.enrollment_id),
        told as (
          insert into enrollment_events (workspace_id, enrollment_id, id, event, actor, reason, at)
          select ${workspaceId}, enrollment_id, gen_random_uuid(), 'cancelled', 'system', 'contact_erased', ${now}::timestamptz from gone)
        update enrollments e set end_state = 'cancelled', ended_at = ${now}::timestamptz
          from gone where e.workspace_id = ${workspaceId} and e.id = gone.enrollment_id`,
  )
}
