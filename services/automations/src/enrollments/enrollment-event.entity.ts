import { defineEntity, p } from '@mikro-orm/core'

/** What happened to an enrollment besides its steps. That it began and completed is in its own row. Of a row only the reason is ever removed. */
export const EnrollmentEvent = defineEntity({
  name: 'EnrollmentEvent',
  tableName: 'enrollment_events',
  properties: {
    workspaceId: p.uuid().primary(),
    enrollmentId: p.uuid().primary(),
    id: p.uuid().primary(),
    event: p.text().$type<'paused' | 'resumed' | 'cancelled' | 'replayed' | 'failed'>(),
    actor: p.text(),
    /** a text of the user, or a word of the system; the text is removed when the contact is erased */
    reason: p.text().nullable(),
    /** of a failure and its replay */
    stepId: p.uuid().nullable(),
    at: p.datetime(),
  },
})
