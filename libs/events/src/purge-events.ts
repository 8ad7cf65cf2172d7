import { sql, statement, type Em } from '@lettergate/database'
import { purge, resultOf, type Purged } from '@lettergate/database/purge'

/** The same time as in the stream. If the stream is lost, events of this time are published again. */
const outboxDays = 7
/** Longer than the outbox, so that the inbox recognises every event that is published again. */
const inboxDays = 8
/** For replayed and discarded dead letters. The others stay until a person decides. */
const settledDeadLetterDays = 90

const deleteOutbox = statement('delete-old-outbox-events')
const deleteInbox = statement('delete-old-inbox-events')
const deleteSettled = statement('delete-settled-dead-letters')

/** Deletes old events of the outbox and the inbox, and old replayed or discarded dead letters, in steps. Any number of replicas may run it. */
export async function purgeEvents(system: <T>(work: (em: Em) => Promise<T>) => Promise<T>): Promise<Purged['result']> {
  const outbox = await purge((most) =>
    system((em) =>
      deleteOutbox.execute(
        em,
        sql`with old as (
              select tid, sum(count) over (order by published_at, tid) - count as before from (
                select ctid as tid, published_at, cardinality(ids) as count from outbox_published
                 where published_at < now() - ${outboxDays} * interval '1 day'
                 order by published_at limit ${most} for update skip locked) w),
            gone as (
              delete from outbox_published where ctid = any(array(select tid from old where before < ${most})) returning ids)
            delete from outbox where id in (select unnest(ids) from gone)`,
      ),
    ),
  )
  const inbox = await purge((most) =>
    system((em) =>
      deleteInbox.execute(
        em,
        sql`with old as (
              select consumer, event_id from inbox where handled_at < now() - ${inboxDays} * interval '1 day'
               order by handled_at limit ${most} for update skip locked)
            delete from inbox i using old where i.consumer = old.consumer and i.event_id = old.event_id`,
      ),
    ),
  )
  const deadLetters = await purge((most) =>
    system((em) =>
      deleteSettled.execute(
        em,
        sql`delete from dead_letters where id in (
              select id from dead_letters
               where coalesce(discarded_at, replayed_at) < now() - ${settledDeadLetterDays} * interval '1 day'
                 and state in ('replayed', 'discarded')
               limit ${most} for update skip locked)`,
      ),
    ),
  )
  return resultOf([outbox, inbox, deadLetters])
}
