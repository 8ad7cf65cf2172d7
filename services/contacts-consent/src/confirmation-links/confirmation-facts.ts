import { column, columns, leftJoined, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { JsonObject } from '@bufbuild/protobuf'
import { Contact } from '../contacts/contact.entity.ts'

const factColumns = {
  ...leftJoined(
    columns(Contact, 'email', 'normalized_email', 'first_name', 'last_name', 'company', 'country_code', 'locale'),
  ),
  custom_fields: nullable(column.json<JsonObject>()),
  audience_name: nullable(column.text()),
  workspace_name: nullable(column.text()),
  obstacles: column.texts(),
}
const selectFacts = statement('select-confirmation-facts', factColumns)

/** The contact, the names for a page, and everything that keeps this contact from becoming a member of this audience. */
export type ConfirmationFacts = RowOf<typeof factColumns>

/** Reads the facts of a confirmation. The contact's columns are null if it does not exist. */
export async function readConfirmationFacts(
  em: Em,
  workspaceId: string,
  { contact_id: contactId, audience_id: audienceId }: { contact_id: string; audience_id: string },
): Promise<ConfirmationFacts> {
  const found = await selectFacts.row(
    em,
    sql`select c.email, c.normalized_email, c.first_name, c.last_name, c.company, c.country_code, c.locale, c.custom_fields,
               a.name as audience_name, w.name as workspace_name,
               array_remove(array[
                 case when c.id is null then 'contact_missing' end,
                 case when coalesce(w.is_archived, true) then 'workspace_archived' end,
                 case when a.id is null or a.archived_at is not null then 'audience_archived' end,
                 case when exists (select from platform_suppressions s where s.normalized_email = c.normalized_email and s.resolved_at is null)
                   then 'suppressed_platform' end,
                 case when exists (select from suppressions s where s.workspace_id = ${workspaceId} and s.contact_id = c.id
                                      and s.scope = 'workspace' and s.resolved_at is null) then 'suppressed_workspace' end,
                 case when exists (select from suppressions s where s.workspace_id = ${workspaceId} and s.contact_id = c.id
                                      and s.scope = 'audience' and s.audience_id = a.id and s.resolved_at is null)
                   then 'suppressed_audience' end
               ]::text[], null) as obstacles
          from (values (1)) as one
          left join contacts c on c.workspace_id = ${workspaceId} and c.id = ${contactId}
          left join audiences a on a.workspace_id = ${workspaceId} and a.id = ${audienceId}
          left join workspaces w on w.workspace_id = ${workspaceId}`,
  )
  return found!
}
