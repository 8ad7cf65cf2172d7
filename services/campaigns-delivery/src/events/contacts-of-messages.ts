import { columns, leftJoined, prepared, sql, statement, unplanned, type Em } from '@lettergate/database'
import { RunRecipient } from '../runs/run-recipient.entity.ts'

const contactColumns = {
  ...columns(RunRecipient, 'id'),
  ...leftJoined(columns(RunRecipient, 'contact_id', 'audience_id')),
}
const selectContacts = statement('select-contacts-of-messages', contactColumns)

/** The contact of each message, and its audience, which a test send does not have. Test sends can be without a contact. */
export async function contactsOf(em: Em, workspaceId: string, messageIds: readonly string[]) {
  const found = await selectContacts.rows(
    em,
    prepared(sql`select id, contact_id, audience_id from run_recipients where workspace_id = ${workspaceId} and id = any(${unplanned(messageIds, 'uuid[]')})
        union all
        select id, contact_id, null from test_sends where workspace_id = ${workspaceId} and id = any(${unplanned(messageIds, 'uuid[]')})
        union all
        select id, contact_id, audience_id from automation_emails where workspace_id = ${workspaceId} and id = any(${unplanned(messageIds, 'uuid[]')})
        union all
        select id, contact_id, audience_id from confirmation_emails where workspace_id = ${workspaceId} and id = any(${unplanned(messageIds, 'uuid[]')})`),
  )
  return new Map(found.map((message) => [message.id, message]))
}
