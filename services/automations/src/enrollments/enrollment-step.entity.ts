import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '../definition/definition.ts'

/** A finished step. A replay repeats a node as another step with the next number. Rows are never changed, except that `compared` is removed. */
export const EnrollmentStep = defineEntity({
  name: 'EnrollmentStep',
  tableName: 'enrollment_steps',
  properties: {
    workspaceId: p.uuid().primary(),
    enrollmentId: p.uuid().primary(),
    number: p.integer().primary(),
    stepId: p.uuid(),
    nodeKey: p.text(),
    nodeType: p.text(),
    outcome: p.text(),
    reasons: p.array<string>().columnType('text[]').defaultRaw(`'{}'`),
    /** the branch that a decision took */
    branch: p.text().nullable(),
    /** what the conditions of a decision looked at; removed with the contact */
    compared: p.json<JsonObject[]>().nullable(),
    /** the message of a send_email */
    messageId: p.uuid().nullable(),
    /** under which the message was handed over */
    audienceId: p.uuid().nullable(),
    startedAt: p.datetime(),
    finishedAt: p.datetime(),
  },
})
