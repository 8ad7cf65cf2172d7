import { kyselyOf, newId, type Em } from '@lettergate/database'
import { EnrollmentPosition } from './enrollment-position.entity.ts'
import { insertWork } from './move-enrollment.ts'

interface Arrival {
  readonly enrollment: { workspace_id: string; id: string; automation_id: string; contact_id: string }
  readonly nodeKey: string
  readonly stepNumber: number
  readonly now: Date
}

/** Puts a contact at a node, with another step that is due now. False if the contact is in the automation with another enrollment. */
export async function insertPosition(em: Em, { enrollment, nodeKey, stepNumber, now }: Arrival): Promise<boolean> {
  const { workspace_id, id: enrollment_id, automation_id, contact_id } = enrollment
  const due_at = now.toISOString()
  const entered = await kyselyOf(em, EnrollmentPosition)
    .insertInto('enrollment_positions')
    .values({
      workspace_id,
      enrollment_id,
      automation_id,
      contact_id,
      state: 'active',
      node_key: nodeKey,
      step_id: newId(),
      step_number: stepNumber,
      due_at,
      wait_until: null,
      arrived_at: due_at,
      waiting_reason: null,
    })
    .onConflict((conflict) => conflict.constraint('enrollment_positions_once').doNothing())
    .returning('enrollment_id')
    .executeTakeFirst()
  if (!entered) return false
  await insertWork(em, { workspace_id, enrollment_id, due_at })
  return true
}
