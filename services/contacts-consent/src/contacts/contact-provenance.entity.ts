import { column, nullable, sql, statement, type Em } from '@lettergate/database'
import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** Where what we know of a contact came from, one row for each upsert. */
export const ContactProvenance = defineEntity({
  name: 'ContactProvenance',
  tableName: 'contact_provenance',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    id: p.uuid().primary(),
    source: p.text(),
    sourceIdentifier: p.text().nullable(),
    sourceMetadata: p.json<JsonObject>().nullable(),
    sourceWorkspace: p.text().nullable(),
    actor: p.text(),
    actorKind: p.text(),
    correlationId: p.text(),
    isCreation: p.boolean(),
    recordedAt: p.datetime(),
  },
})

/** Where a walk through all provenance is. */
export interface ProvenanceKey {
  workspace_id: string
  contact_id: string
  id: string
}

const beforeAll: ProvenanceKey = {
  workspace_id: '00000000-0000-0000-0000-000000000000',
  contact_id: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
}

const deleteStep = statement('delete-old-contact-provenance', {
  seen: column.integer(),
  deleted: column.integer(),
  last: nullable(column.json<ProvenanceKey>()),
})

/**
 * Looks at the next entries in the order of their keys and deletes those from before those days that are neither the
 * creation of their contact nor its newest of that source and identifier. Answers how many it looked at and deleted, and
 * the last one; undefined at the end.
 */
export async function deleteOldProvenance(
  em: Em,
  { days, after = beforeAll, most }: { days: number; after: ProvenanceKey | undefined; most: number },
): Promise<{ seen: number; deleted: number; last: ProvenanceKey | undefined }> {
  const walked = await deleteStep.row(
    em,
    sql`with step as materialized (
          select workspace_id, contact_id, id, source, source_identifier, is_creation, recorded_at from contact_provenance
           where (workspace_id, contact_id, id) > (${after.workspace_id}::uuid, ${after.contact_id}::uuid, ${after.id}::uuid)
           order by workspace_id, contact_id, id limit ${most}),
        deleted as (
          delete from contact_provenance p using step s
           where p.workspace_id = s.workspace_id and p.contact_id = s.contact_id and p.id = s.id
             and not s.is_creation and s.recorded_at < now() - ${days} * interval '1 day'
             and exists (select from contact_provenance n
                          where n.workspace_id = s.workspace_id and n.contact_id = s.contact_id and n.id > s.id
                            and n.source = s.source and n.source_identifier is not distinct from s.source_identifier)
          returning 1)
        select (select count(*)::int from step) as seen, (select count(*)::int from deleted) as deleted,
               (select to_jsonb(k) from (select workspace_id, contact_id, id from step
                 order by workspace_id desc, contact_id desc, id desc limit 1) k) as last`,
  )
  const { seen, deleted, last } = walked!
  return { seen, deleted, last: seen < most ? undefined : (last ?? undefined) }
}
