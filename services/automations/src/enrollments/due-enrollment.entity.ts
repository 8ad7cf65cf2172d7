import { defineEntity, p } from '@mikro-orm/core'

/**
 * Work of an enrollment, now or later. A row counts if the position has the same `dueAt` and is not paused. Rows are inserted and
 * deleted, never updated.
 */
export const DueEnrollment = defineEntity({
  name: 'DueEnrollment',
  tableName: 'due_enrollments',
  properties: {
    workspaceId: p.uuid().primary(),
    dueAt: p.datetime().primary(),
    enrollmentId: p.uuid().primary(),
  },
})
