import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { execute, sql, type Em } from '@lettergate/database'

/** What consent events rest on. Kept apart from the record, which holds only its salted hash: it may be erased. */
export const ConsentEvidence = defineEntity({
  name: 'ConsentEvidence',
  tableName: 'consent_evidence',
  properties: {
    workspaceId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    salt: p.text(),
    evidence: p.json<JsonObject>(),
  },
})

/**
 * Erases the evidence of one contact's consent events and answers how many had any. The events and their seals stay and
 * stay provable; salt and evidence are gone together, so that nobody can guess the evidence from the hash that is left.
 */
export const eraseEvidence = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  execute(
    em,
    sql`delete from consent_evidence d using consent_events e
         where e.workspace_id = ${workspaceId} and e.contact_id = ${contactId}
           and d.workspace_id = ${workspaceId} and d.event_id = e.id`,
  )
