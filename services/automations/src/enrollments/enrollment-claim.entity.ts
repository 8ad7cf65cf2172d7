import { defineEntity, p } from '@mikro-orm/core'

/** A set of enrollments that a worker has taken. After `leaseUntil` they are due again. */
export const EnrollmentClaim = defineEntity({
  name: 'EnrollmentClaim',
  tableName: 'enrollment_claims',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    enrollmentIds: p.array<string>().columnType('uuid[]'),
    holder: p.text(),
    leaseUntil: p.datetime(),
  },
})
