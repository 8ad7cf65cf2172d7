import { newId } from '@lettergate/database'
import type { Stage } from '@lettergate/stage'

/** Rows as workers write them, so that a test of reading decides every state and time itself. */
export function enrollmentRows(
  stage: Pick<Stage, 'query'>,
  of: { workspaceId: string; automationId: string; versionId: string },
) {
  const { workspaceId, automationId, versionId } = of
  const insert = (table: string, row: Record<string, unknown>) =>
    stage.query(
      `insert into automations.${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
        .map((_, index) => `$${index + 1}`)
        .join(', ')})`,
      Object.values(row),
    )
  return {
    async enrollment(values: Record<string, unknown> = {}) {
      const id = newId()
      await insert('enrollments', {
        workspace_id: workspaceId,
        id,
        automation_id: automationId,
        version_id: versionId,
        contact_id: newId(),
        trigger_type: 'tag_added',
        correlation_id: 'c',
        trace: '{}',
        enrolled_at: '2026-09-14T09:00:00Z',
        ...values,
      })
      return id
    },
    position: (enrollmentId: string, values: Record<string, unknown> = {}) =>
      insert('enrollment_positions', {
        workspace_id: workspaceId,
        enrollment_id: enrollmentId,
        automation_id: automationId,
        contact_id: newId(),
        state: 'active',
        node_key: 'wait',
        step_id: newId(),
        step_number: 1,
        due_at: '2026-09-14T09:00:00Z',
        arrived_at: '2026-09-14T09:00:00Z',
        ...values,
      }),
    step: (enrollmentId: string, number: number, values: Record<string, unknown> = {}) =>
      insert('enrollment_steps', {
        workspace_id: workspaceId,
        enrollment_id: enrollmentId,
        number,
        step_id: newId(),
        node_key: 'wait',
        node_type: 'wait_duration',
        outcome: 'waited',
        started_at: '2026-09-14T09:00:00Z',
        finished_at: '2026-09-14T10:00:00Z',
        ...values,
      }),
    event: (enrollmentId: string, event: string, values: Record<string, unknown> = {}) =>
      insert('enrollment_events', {
        workspace_id: workspaceId,
        enrollment_id: enrollmentId,
        id: newId(),
        event,
        actor: 'u-ada',
        at: '2026-09-14T09:30:00Z',
        ...values,
      }),
  }
}
