import type { JsonObject } from '@bufbuild/protobuf'
import { newId, rows, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { CustomFieldChange } from '../domain/custom-fields.ts'
import { contactColumns, type ContactRow } from './contacts.ts'
import { workspaceBatch, type WorkspaceBatch } from './workspace-batch.ts'

/** What one caller wants a contact to be. Only fields in `named` are written to a contact that exists. */
export interface ContactWrite {
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
}

export type ContactWritten = ContactRow & { created: boolean }

interface Landed extends ContactWritten {
  n: number
  names_another: boolean
}

const sourceTaken = () =>
  new Fault(
    'conflict',
    'source_identifier',
    'This source and source_identifier already name another contact. Send its address, or another identifier.',
  )

/**
 * One statement for many upserts of one workspace: contact, source identity, tag names, provenance. An address that
 * another transaction created in this very moment is neither inserted nor seen; it is absent from the answer.
 */
const upsert = (em: Em, workspaceId: string, writes: readonly (ContactWrite & { n: number })[]) => {
  const incoming = writes.map(({ custom, ...write }) => ({
    ...write,
    id: newId(),
    provenance_id: newId(),
    custom_set: custom.set,
    custom_cleared: custom.cleared,
  }))
  const tags = [...new Set(writes.flatMap((write) => write.tags))].sort().map((name) => ({ id: newId(), name }))
  return rows<Landed>(
    em,
    sql`with i as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(incoming)}::jsonb) as i (n int, id uuid, email text, normalized_email text,
        named text[], first_name text, last_name text, company text, country_code text, locale text, timezone text, phone text,
        tags text[], custom_set jsonb, custom_cleared text[], clears_custom boolean, is_legacy boolean,
        legacy_consent_evidence jsonb, legacy_consent_grade text, source text, source_identifier text, source_metadata jsonb,
        source_workspace text, actor text, actor_kind text, correlation_id text, provenance_id uuid)),
    inserted as (
      insert into contacts (workspace_id, id, email, normalized_email, first_name, last_name, company, country_code, locale,
        timezone, phone, tags, custom_fields, is_legacy, legacy_consent_evidence, legacy_consent_grade)
      select ${workspaceId}::uuid, id, email, normalized_email, first_name, last_name, company, country_code, locale,
        timezone, phone, tags, custom_set, is_legacy, legacy_consent_evidence, legacy_consent_grade
        from i order by normalized_email
      on conflict on constraint contacts_normalized_email do nothing
      returning ${contactColumns}),
    updated as (
      update contacts c set
        email = i.email,
        first_name = case when 'first_name' = any(i.named) then i.first_name else c.first_name end,
        last_name = case when 'last_name' = any(i.named) then i.last_name else c.last_name end,
        company = case when 'company' = any(i.named) then i.company else c.company end,
        country_code = case when 'country_code' = any(i.named) then i.country_code else c.country_code end,
        locale = case when 'locale' = any(i.named) then i.locale else c.locale end,
        timezone = case when 'timezone' = any(i.named) then i.timezone else c.timezone end,
        phone = case when 'phone' = any(i.named) then i.phone else c.phone end,
        tags = case when 'tags' = any(i.named) then i.tags else c.tags end,
        custom_fields = (case when i.clears_custom then '{}' else c.custom_fields end || i.custom_set) - i.custom_cleared,
        is_legacy = case when 'is_legacy' = any(i.named) then i.is_legacy else c.is_legacy end,
        legacy_consent_evidence = case when 'legacy_consent_evidence' = any(i.named)
          then i.legacy_consent_evidence else c.legacy_consent_evidence end,
        legacy_consent_grade = case when 'legacy_consent_evidence' = any(i.named)
          then i.legacy_consent_grade else c.legacy_consent_grade end,
        updated_at = now()
        from i
       where c.workspace_id = ${workspaceId} and c.normalized_email = i.normalized_email
      returning i.n, c.id, c.email, c.normalized_email, c.first_name, c.last_name, c.company, c.country_code,
        c.legacy_consent_classification, c.tags, c.custom_fields),
    landed as (
      select i.n, inserted.*, true as created from inserted join i using (id)
      union all
      select updated.*, false from updated),
    named_sources as (
      insert into contact_sources as s (workspace_id, source, source_identifier, contact_id)
      select ${workspaceId}::uuid, i.source, i.source_identifier, landed.id from landed join i using (n)
       where i.source_identifier is not null order by i.source, i.source_identifier
      on conflict (workspace_id, source, source_identifier) do update set contact_id = s.contact_id
      returning s.source, s.source_identifier, s.contact_id),
    tag_names as (
      insert into tags (workspace_id, id, name)
      select ${workspaceId}::uuid, t.id, t.name from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as t (id uuid, name text)
       where not exists (select 1 from tags known where known.workspace_id = ${workspaceId} and known.name = t.name)
      on conflict on constraint tags_name do nothing),
    provenance as (
      insert into contact_provenance (workspace_id, contact_id, id, source, source_identifier, source_metadata,
        source_workspace, actor, actor_kind, correlation_id, is_creation)
      select ${workspaceId}::uuid, landed.id, i.provenance_id, i.source, i.source_identifier, i.source_metadata,
        i.source_workspace, i.actor, i.actor_kind, i.correlation_id, landed.created from landed join i using (n))
    select landed.*, coalesce(s.contact_id <> landed.id, false) as names_another
      from landed join i using (n)
      left join named_sources s on s.source = i.source and s.source_identifier = i.source_identifier`,
  )
}

const attemptsMax = 5

/** Splits writes so that no address is in one layer twice; a repeated one is written again by a later layer. */
function layersOf<W extends { normalized_email: string }>(writes: readonly W[]): W[][] {
  const layers: W[][] = []
  const seen = new Map<string, number>()
  for (const write of writes) {
    const layer = seen.get(write.normalized_email) ?? 0
    seen.set(write.normalized_email, layer + 1)
    ;(layers[layer] ??= []).push(write)
  }
  return layers
}

/** Writes all or throws: Fault `conflict` when a source identity already names another contact. Answers in order. */
async function writeAll(em: Em, workspaceId: string, writes: readonly ContactWrite[]): Promise<ContactWritten[]> {
  const written: ContactWritten[] = []
  // In one order everywhere, so that batches of two replicas do not wait for each other crosswise.
  const sorted = writes
    .map((write, n) => ({ ...write, n }))
    .sort((one, other) => (one.normalized_email < other.normalized_email ? -1 : 1))
  for (const layer of layersOf(sorted)) {
    let waiting = layer
    for (let attempt = 1; waiting.length > 0; attempt += 1) {
      if (attempt > attemptsMax) {
        throw new Fault('unavailable', 'busy', 'This contact is changed by too many requests. Try again in a moment.')
      }
      for (const landed of await upsert(em, workspaceId, waiting)) {
        if (landed.names_another) throw sourceTaken()
        written[landed.n] = landed
      }
      waiting = waiting.filter((write) => written[write.n] === undefined)
    }
  }
  return written
}

/** Collects concurrent upserts; each caller gets its own answer. */
export type ContactWriter = WorkspaceBatch<ContactWrite, ContactWritten>

export const openContactWriter = (): ContactWriter => workspaceBatch(writeAll)
