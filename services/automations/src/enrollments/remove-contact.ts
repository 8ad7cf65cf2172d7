import { columns, listOf, sql, statement, type Em } from '@lettergate/database'
import { EnrollmentPosition } from './enrollment-position.entity.ts'
import { recordErasure } from './erased-contact.entity.ts'
import { recordUnsettled } from './move-enrollment.ts'

interface Removal {
  readonly contactId: string
  /** in the timelines of the enrollments that this ends */
  readonly reason: 'contact_erased' | 'contact_deleted'
  readonly at: Date
}

/**
 * Cancels the enrollments of a contact that does not exist any more, removes the texts that users wrote about them and the values
 * that decisions compared, and stores its id, so that no late trigger enrols it. What remains are ids, times and outcomes. Answers
 * how many texts there were, and how many decisions with values.
 */
export async function removeContact(
  em: Em,
  workspaceId: string,
  removal: Removal,
): Promise<{ reasons: number; comparedValues: number }> {
  await recordErasure(em, workspaceId, removal.contactId)
  await cancelAll(em, workspaceId, removal)
  return {
    reasons: await eraseReasons(em, workspaceId, removal.contactId),
    comparedValues: await eraseCompared(em, workspaceId, removal.contactId),
  }
}

const eraseTexts = statement('erase-reasons-of-contact')

/** Removes what users wrote about the enrollments of a contact, also about ended ones. Answers how many texts there were. */
const eraseReasons = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  eraseTexts.execute(
    em,
    sql`update enrollment_events v set reason = null
          from enrollments e
         where v.workspace_id = ${workspaceId} and v.reason is not null and v.actor <> 'system'
           and e.workspace_id = v.workspace_id and e.id = v.enrollment_id and e.contact_id = ${contactId}`,
  )

const eraseValues = statement('erase-compared-values-of-contact')

/** Removes what decisions compared. No worker adds more, because the positions of the contact are gone. Answers of how many. */
const eraseCompared = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  eraseValues.execute(
    em,
    sql`update enrollment_steps s set compared = null
          from enrollments e
         where s.workspace_id = ${workspaceId} and s.compared is not null
           and e.workspace_id = s.workspace_id and e.id = s.enrollment_id and e.contact_id = ${contactId}`,
  )

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
 * Ends the enrollments in which the contact is. A step under way is still recorded, and so is an email that may be sent. The
 * positions are locked by a statement of their own: the next one then sees the due rows that a worker has inserted meanwhile.
 */
async function cancelAll(em: Em, workspaceId: string, { contactId, at, reason }: Removal): Promise<void> {
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
          select ${workspaceId}, enrollment_id, gen_random_uuid(), 'cancelled', 'system', ${reason}::text, ${now}::timestamptz from gone)
        update enrollments e set end_state = 'cancelled', ended_at = ${now}::timestamptz
          from gone where e.workspace_id = ${workspaceId} and e.id = gone.enrollment_id`,
  )
}
