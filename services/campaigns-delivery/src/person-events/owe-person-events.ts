import { newId, sql, statement, textsOf, arrayOf, type Em } from '@lettergate/database'

/** The events about one person that a workspace may choose to get. */
export const personEventTypes = [
  'person.bounced',
  'person.complained',
  'person.unsubscribed',
  'person.consent_changed',
] as const
export type PersonEventType = (typeof personEventTypes)[number]

export interface PersonEvent {
  type: PersonEventType
  at: Date
  /** ids and words only, never an address */
  data: Readonly<Record<string, string | null>> & { readonly contact_id: string }
}

const insertEvents = statement('owe-person-events')

/**
 * Inserts a delivery for each event, in the transaction that stores its cause, if the workspace chose to get events about
 * people and its campaign webhook is set and enabled. Otherwise nothing is stored, and never about a contact who is erased.
 */
export async function owePersonEvents(em: Em, workspaceId: string, events: readonly PersonEvent[]): Promise<void> {
  if (events.length === 0) return
  const bodies = events.map(({ type, at, data }) => JSON.stringify({ type, timestamp: at.toISOString(), data }))
  await insertEvents.execute(
    em,
    sql`insert into campaign_webhook_deliveries (workspace_id, id, type, body)
        select w.workspace_id, t.id, t.type, t.body
          from campaign_webhooks w
         cross join unnest(${arrayOf(events.map(() => newId()))}::uuid[], ${textsOf(events.map(({ type }) => type))}::text[],
                           ${textsOf(bodies)}::text[], ${arrayOf(events.map(({ data }) => data.contact_id))}::uuid[]) as t (id, type, body, contact_id)
         where w.workspace_id = ${workspaceId} and w.person_events and w.url is not null and w.sealed_secret is not null
           and w.disabled_at is null
           and not exists (select from erased_contacts e where e.workspace_id = w.workspace_id and e.contact_id = t.contact_id)`,
  )
}

const dropAbout = statement('drop-person-events')

/** Fails the pending deliveries about a contact who is erased. One that is under way may still reach the receiver. */
export const dropPersonEvents = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  dropAbout.execute(
    em,
    sql`update campaign_webhook_deliveries
           set state = 'failed', failure_reason = 'contact_erased', settled_at = clock_timestamp(), next_attempt_at = null, leased_until = null
         where workspace_id = ${workspaceId} and state = 'pending' and type like 'person.%' and body::jsonb -> 'data' ->> 'contact_id' = ${contactId}`,
  )
