import { column, prepared, sql, statement, uuidsOf, type Em } from '@lettergate/database'

/** The property of an event that names the consumer that handles it, for its inbox row. */
export const handledBy = Symbol('the consumer that handles this event')

const insertUnknown = statement('insert-inbox-events', { id: column.uuid() })

/**
 * Writes the inbox rows of these events in the handler's transaction, and answers only the events that were not handled before.
 * Every handler calls it first in its transaction. An event that is not in the answer was handled already. `idOf` gives the id
 * of the fact, if one fact can be published again under another event id.
 */
export async function firstTime<E extends { id: string; [handledBy]?: string }>(
  em: Em,
  events: readonly E[],
  idOf: (event: E) => string = ({ id }) => id,
): Promise<E[]> {
  if (events.length === 0) return []
  const consumer = events[0]![handledBy]
  if (consumer === undefined) throw new Error('firstTime takes the events that a consumer was given')
  const ids = [...new Set(events.map(idOf))].sort()
  // Answers the ids that existed before; usually there are none.
  const known = await insertUnknown.rows(
    em,
    prepared(sql`with given as (select id from unnest(${uuidsOf(ids)}::uuid[]) as t (id)),
        fresh as (insert into inbox (consumer, event_id) select ${consumer}, id from given on conflict do nothing returning event_id)
        select id from given where (select count(*) from fresh) < ${ids.length} and id not in (select event_id from fresh)`),
  )
  const unseen = new Set(ids)
  for (const { id } of known) unseen.delete(id)
  return events.filter((event) => unseen.delete(idOf(event)))
}
