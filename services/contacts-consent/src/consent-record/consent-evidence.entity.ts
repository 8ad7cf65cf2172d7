import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { meaningOf, newId, row, sql, type Em } from '@lettergate/database'

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
 * The database records who asked in `evidence_erasures`: the service's role has no other way to remove evidence.
 */
export async function eraseEvidence(em: Em, contactId: string, reason: string): Promise<number> {
  const { caller, workspaceId } = meaningOf(em)
  const erased = await row<{ events: number }>(
    em,
    sql`select erase_evidence(${newId()}, ${workspaceId}, ${contactId}, ${reason}, ${caller.actor}, ${caller.correlationId}) as events`,
  )
  return erased!.events
}
