import { defineEntity, p } from '@mikro-orm/core'
import type { Row } from '@lettergate/database'
import type { EnrollmentEnd } from './enrollment-state.ts'

/**
 * The way of one contact through one version of an automation. It is written when it begins and when it ends; between, its state
 * is that of its position.
 */
export const Enrollment = defineEntity({
  name: 'Enrollment',
  tableName: 'enrollments',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    automationId: p.uuid(),
    versionId: p.uuid(),
    contactId: p.uuid(),
    triggerType: p.text(),
    /** the audience of the trigger */
    audienceId: p.uuid().nullable(),
    /** set for a synthetic enrollment, with its idempotency key */
    syntheticContextId: p.text().nullable(),
    idempotencyKey: p.text().nullable(),
    /** the times are those of a virtual clock, and it has ended */
    hasVirtualClock: p.boolean().default(false),
    /** the request that fired the trigger, and its trace */
    correlationId: p.text(),
    trace: p.json<Record<string, string>>(),
    enrolledAt: p.datetime(),
    endState: p.text().$type<EnrollmentEnd>().nullable(),
    endedAt: p.datetime().nullable(),
  },
})

export type EnrollmentRow = Row<typeof Enrollment>
