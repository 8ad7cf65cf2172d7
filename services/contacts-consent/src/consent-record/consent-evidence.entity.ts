import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { column, transactionScopeOf, newId, sql, statement, type Em, type Sql } from '@lettergate/database'
import { withShared } from '../shared-details/shared-details.entity.ts'

/** The evidence of consent events. It can be erased, so it is not part of the record, which has only its salted hash. */
export const ConsentEvidence = defineEntity({
  name: 'ConsentEvidence',
  tableName: 'consent_evidence',
  properties: {
    workspaceId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    salt: p.text(),
    evidence: p.json<JsonObject>(),
    /** what the evidence of other events has too */
    sharedId: p.uuid().nullable(),
  },
})

/** Salt and complete evidence of this event, as a query of at most one row. */
export const evidenceOf = (workspaceId: string, eventId: Sql): Sql => sql`
  select o.salt, ${withShared(workspaceId, sql`o`, sql`o.evidence`)} as evidence
    from consent_evidence o where o.workspace_id = ${workspaceId} and o.event_id = ${eventId} limit 1`

const callErase = statement('erase-consent-evidence', { events: column.integer() })

/**
 * Erases the evidence of one contact's consent events and answers how many had any. The events and their seals stay and
 * stay provable; salt and evidence are gone together, so that nobody can guess the evidence from the hash that is left.
 * The database records who asked in `evidence_erasures`: the service's role has no other way to remove evidence.
 */
export async function eraseEvidence(em: Em, contactId: string, reason: string): Promise<number> {
  const { caller, workspaceId } = transactionScopeOf(em)
  const erased = await callErase.row(
    em,
    sql`select erase_evidence(${newId()}, ${workspaceId}, ${contactId}, ${reason}, ${caller.actor}, ${caller.correlationId}) as events`,
  )
  return erased!.events
}
