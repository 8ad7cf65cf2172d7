import { defineEntity, p } from '@mikro-orm/core'
import { sql, statement, type Em } from '@lettergate/database'

/** Ids of messages to erased contacts; kept for ever, because an event may arrive at any time. */
export const ErasedMessage = defineEntity({
  name: 'ErasedMessage',
  tableName: 'erased_messages',
  properties: {
    workspaceId: p.uuid().primary(),
    messageId: p.uuid().primary(),
    erasedAt: p.datetime().defaultRaw('now()'),
  },
})

/** Thirty-two zero bytes, in place of the hash of an event's content, because the content has the address. */
export const noDigest = sql`decode(repeat('00', 32), 'hex')`

const insertErased = statement('insert-erased-messages')
const eraseEvents = statement('erase-provider-events')

/**
 * Removes the hash of the content, and a reason that may quote an address, from the events of these messages. Later events are
 * stored without them. Returns the number of events.
 */
export async function eraseMessages(em: Em, workspaceId: string, messageIds: readonly string[]): Promise<number> {
  const ids = messageIds.toSorted()
  await insertErased.execute(
    em,
    sql`insert into erased_messages (workspace_id, message_id)
        select ${workspaceId}::uuid, id from unnest(${ids}::uuid[]) as t (id) on conflict do nothing`,
  )
  return eraseEvents.execute(
    em,
    sql`update provider_events
           set body_sha256 = ${noDigest}, erased_at = now(), reason = case when strpos(reason, '@') = 0 then reason end
         where workspace_id = ${workspaceId} and message_id = any(${ids}::uuid[]) and erased_at is null`,
  )
}
