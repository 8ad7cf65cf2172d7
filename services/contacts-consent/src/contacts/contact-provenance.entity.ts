import { column, nullable, sql, statement, type Em } from '@lettergate/database'
import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** The provenance of a contact's data, one row for each upsert. */
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
    /** what the metadata of other rows has too */
    sharedId: p.uuid().nullable(),
    sourceWorkspace: p.text().nullable(),
    actor: p.text(),
    actorKind: p.text(),
    correlationId: p.text(),
    isCreation: p.boolean(),
    recordedAt: p.datetime(),
  },
})

/** The position in the provenance of all contacts. */
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
 * Reads the next entries in key order, and deletes old entries except the creation of a contact and its newest entry for each
 * source and identifier. Answers the number of entries read and deleted, and the last entry; undefined at the end.
 */
export async function deleteOldProvenance(
  em: Em,
  { days, after = beforeAll, most }: { days: number; after: ProvenanceKey | undefined; most: number },
): Promise<{ seen: number; deleted: number; last: ProvenanceKey | undefined }> {
  const step = await deleteStep.row(
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
  const { seen, deleted, last } = step!
  return { seen, deleted, last: seen < most ? undefined : (last ?? undefined) }
}
