import { rows, sql, type Em } from '@lettergate/database'

const consumers = new WeakMap<object, string>()

/** Remembers which consumer is handling an event, so that its inbox row carries the name. */
export const handledBy = (event: object, consumer: string): void => void consumers.set(event, consumer)

/**
 * Writes the inbox rows of these events in the effect's own transaction and answers only those never handled before.
 * The first line of every handler's transaction: what it answers with `[]` has had its effect already. `idOf` says what
 * makes two of them the same fact, where one is announced again under another id.
 */
export async function firstTime<E extends { id: string }>(
  em: Em,
  events: readonly E[],
  idOf: (event: E) => string = ({ id }) => id,
): Promise<E[]> {
  if (events.length === 0) return []
  const consumer = consumers.get(events[0]!)
  if (consumer === undefined) throw new Error('firstTime takes the events that a consumer was given')
  const ids = [...new Set(events.map(idOf))].sort()
  const fresh = await rows<{ event_id: string }>(
    em,
    sql`insert into inbox (consumer, event_id) select ${consumer}, id from unnest(${ids}::uuid[]) as t (id) on conflict do nothing returning event_id`,
  )
  const unseen = new Set(fresh.map((found) => found.event_id))
  return events.filter((event) => unseen.delete(idOf(event)))
}
