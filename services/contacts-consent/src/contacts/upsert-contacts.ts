import type { JsonObject } from '@bufbuild/protobuf'
import { column, newId, prepared, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Carrier } from '@lettergate/service/tracing'
import type { CustomFieldChange } from '../custom-fields/custom-fields.ts'
import { contactColumns, shownList } from './contact.entity.ts'
import { tagNamesOf } from '../tags/contact-tag.entity.ts'

/** The input of one upsert. For an existing contact, only the fields in `named` are written. */
export interface ContactWrite {
  /** whether a known address is refused */
  create_only: boolean
  email: string
  normalized_email: string
  named: readonly string[]
  first_name: string | null
  last_name: string | null
  company: string | null
  country_code: string | null
  locale: string | null
  timezone: string | null
  phone: string | null
  tags: readonly string[]
  custom: CustomFieldChange
  clears_custom: boolean
  is_legacy: boolean
  legacy_consent_evidence: JsonObject | null
  legacy_consent_grade: string
  source: string
  source_identifier: string | null
  source_metadata: JsonObject | null
  source_workspace: string | null
  actor: string
  actor_kind: string
  correlation_id: string
  trace: Carrier
}

const writtenColumns = { ...contactColumns, created: column.boolean() }
export type ContactWritten = RowOf<typeof writtenColumns>

const resultColumns = { ...writtenColumns, n: column.integer(), names_another: column.boolean() }
const upsert = statement('upsert-contacts', resultColumns)

/** The result of one write. `n` is its position in the input. */
export type UpsertResult = RowOf<typeof resultColumns>

/**
 * One statement for many upserts of one workspace without duplicate addresses: contact, source identity, provenance. It does not
 * write tags; it answers the tags of a contact that keeps them. It finds contacts by the unique index and not by a join, so its
 * cost does not grow with the workspace. Planning takes a third of the execution time, so the statement is prepared.
 */
export const upsertContacts = (
  em: Em,
  workspaceId: string,
  writes: readonly (ContactWrite & { n: number })[],
): Promise<UpsertResult[]> => {
  const incoming = writes.map((write) => {
    const { custom, trace: _, tags: __, create_only: ___, ...fields } = write
    return { ...fields, id: newId(), provenance_id: newId(), custom_set: custom.set, custom_cleared: custom.cleared }
  })
  return upsert.rows(
    em,
    prepared(sql`with i as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(incoming)}::jsonb) as i (n int, id uuid, email text, normalized_email text,
        named text[], first_name text, last_name text, company text, country_code text, locale text, timezone text, phone text,
        custom_set jsonb, custom_cleared text[], clears_custom boolean, is_legacy boolean,
        legacy_consent_evidence jsonb, legacy_consent_grade text, source text, source_identifier text, source_metadata jsonb,
        source_workspace text, actor text, actor_kind text, correlation_id text, provenance_id uuid)),
    written as (
      insert into contacts as c (workspace_id, id, email, normalized_email, first_name, last_name, company, country_code,
        locale, timezone, phone, custom_fields, is_legacy, legacy_consent_evidence, legacy_consent_grade)
      select ${workspaceId}::uuid, id, email, normalized_email, first_name, last_name, company, country_code, locale,
        timezone, phone, custom_set, is_legacy, legacy_consent_evidence, legacy_consent_grade
        from i order by normalized_email
      on conflict on constraint contacts_normalized_email do update set
        (email, first_name, last_name, company, country_code, locale, timezone, phone, custom_fields, is_legacy,
         legacy_consent_evidence, legacy_consent_grade, updated_at) = (
          select i.email,
            case when 'first_name' = any(i.named) then i.first_name else c.first_name end,
            case when 'last_name' = any(i.named) then i.last_name else c.last_name end,
            case when 'company' = any(i.named) then i.company else c.company end,
            case when 'country_code' = any(i.named) then i.country_code else c.country_code end,
            case when 'locale' = any(i.named) then i.locale else c.locale end,
            case when 'timezone' = any(i.named) then i.timezone else c.timezone end,
            case when 'phone' = any(i.named) then i.phone else c.phone end,
            (case when i.clears_custom then '{}' else c.custom_fields end || i.custom_set) - i.custom_cleared,
            case when 'is_legacy' = any(i.named) then i.is_legacy else c.is_legacy end,
            case when 'legacy_consent_evidence' = any(i.named)
              then i.legacy_consent_evidence else c.legacy_consent_evidence end,
            case when 'legacy_consent_evidence' = any(i.named)
              then i.legacy_consent_grade else c.legacy_consent_grade end,
            now()
            from i where i.id = excluded.id)
      returning ${shownList}),
    result as (
      select i.n, written.*, written.id = i.id as created,
             case when written.id <> i.id and not 'tags' = any(i.named)
               then ${tagNamesOf(workspaceId, sql`written.id`)} else '{}' end as tags
        from written join i using (normalized_email)),
    named_sources as (
      insert into contact_sources as s (workspace_id, source, source_identifier, contact_id)
      select ${workspaceId}::uuid, i.source, i.source_identifier, result.id from result join i using (n)
       where i.source_identifier is not null order by i.source, i.source_identifier
      on conflict (workspace_id, source, source_identifier) do update set contact_id = s.contact_id
      returning s.source, s.source_identifier, s.contact_id),
    provenance as (
      insert into contact_provenance (workspace_id, contact_id, id, source, source_identifier, source_metadata,
        source_workspace, actor, actor_kind, correlation_id, is_creation)
      select ${workspaceId}::uuid, result.id, i.provenance_id, i.source, i.source_identifier, i.source_metadata,
        i.source_workspace, i.actor, i.actor_kind, i.correlation_id, result.created from result join i using (n))
    select result.*, coalesce(s.contact_id <> result.id, false) as names_another
      from result join i using (n)
      left join named_sources s on s.source = i.source and s.source_identifier = i.source_identifier`),
  )
}
