import { defineEntity, p } from '@mikro-orm/core'

/** An enrollment that was due while its automation was not published. It is due again when it is published. */
export const HeldEnrollment = defineEntity({
  name: 'HeldEnrollment',
  tableName: 'held_enrollments',
  properties: {
    workspaceId: p.uuid().primary(),
    automationId: p.uuid().primary(),
    enrollmentId: p.uuid().primary(),
  },
})
