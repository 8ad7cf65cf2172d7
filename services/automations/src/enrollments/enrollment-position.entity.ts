import { defineEntity, p } from '@mikro-orm/core'
import type { Row } from '@lettergate/database'

/**
 * Where a contact is in an automation, for as long as it is in it. The unique key of contact and automation lets nobody in twice.
 * `stepId` is the step at `nodeKey` that is not finished yet; with the same id, a step has its effect once.
 */
export const EnrollmentPosition = defineEntity({
  name: 'EnrollmentPosition',
  tableName: 'enrollment_positions',
  properties: {
    workspaceId: p.uuid().primary(),
    enrollmentId: p.uuid().primary(),
    automationId: p.uuid(),
    contactId: p.uuid(),
    state: p.text().$type<'active' | 'waiting' | 'paused'>(),
    nodeKey: p.text(),
    stepId: p.uuid(),
    /** of that step; the first is 1 */
    stepNumber: p.integer(),
    dueAt: p.datetime(),
    /** the end of the wait at this node, once it is known */
    waitUntil: p.datetime().nullable(),
    arrivedAt: p.datetime(),
    /** why the step was not done at its last attempt */
    waitingReason: p.text().nullable(),
    /** how often this step was attempted in vain since it was last answered: its worker was lost, or its own call broke */
    failedAttempts: p.integer().default(0),
  },
})

export type EnrollmentPositionRow = Row<typeof EnrollmentPosition>
