import { defineEntity, p } from '@mikro-orm/core'

/** The progress of comparing a workspace's record with its seals, and the end of the last pass. */
export const ConsentRecordCheck = defineEntity({
  name: 'ConsentRecordCheck',
  tableName: 'consent_record_checks',
  properties: {
    workspaceId: p.uuid().primary(),
    dueAt: p.datetime(),
    position: p.bigint(),
    sha256: p.text().nullable(),
    eventId: p.uuid().nullable(),
    knownPosition: p.bigint(),
    knownSha256: p.text().nullable(),
    brokenAt: p.datetime().nullable(),
  },
})
