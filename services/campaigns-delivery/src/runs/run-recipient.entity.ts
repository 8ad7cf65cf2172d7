import { defineEntity, p } from '@mikro-orm/core'
import { column, sql, statement, type Em } from '@lettergate/database'
import { isProven, unknownMessages } from '../messages/message-fact.entity.ts'

/** The recipients of a run, one row for each message. Written by the snapshot and not changed by delivery. */
export const RunRecipient = defineEntity({
  name: 'RunRecipient',
  tableName: 'run_recipients',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    runId: p.uuid(),
    batch: p.integer(),
    contactId: p.uuid(),
    audienceId: p.uuid(),
    normalizedEmail: p.text(),
  },
})

/**
 * True if recipient r is in no hand-off (except one that was put back) and nothing is known of the message. Rows are
 * counted, not joined, so that the planner always uses the index.
 */
export const isPending = sql`(
  (select count(*) from hand_offs h where h.workspace_id = r.workspace_id and h.origin_id = r.run_id and h.batch = r.batch
      and h.state <> 'put_back' and r.id = any(h.message_ids)) = 0
  and (select count(*) from message_facts f where f.origin_id = r.run_id and f.message_id = r.id) = 0)`

/** The id of a run, or the column of a query that has it. */
type RunId = string | ReturnType<typeof sql>

/**
 * The messages of a run's hand-offs that only provider events prove to be accepted. Facts are read only for messages that are in
 * no accepted hand-off: equal put-backs of a batch count once, and the batches that were accepted as a whole are left out first.
 * Hand-offs are found by the run only: with the workspace, the planner also reads the primary key of all its hand-offs.
 */
const provenByEvents = (runId: RunId) => sql`
  with tried as materialized (
    select batch, message_ids, max(claimed_at) as claimed_at from hand_offs
     where origin_id = ${runId} and state <> 'accepted' group by batch, message_ids),
  accepted as materialized (
    select batch, message_ids from hand_offs
     where origin_id = ${runId} and state = 'accepted' and batch in (select batch from tried)),
  others as materialized (
    select t.batch, t.message_ids, t.claimed_at from tried t
     where not exists (select from accepted a where a.batch = t.batch and a.message_ids = t.message_ids)),
  accepted_messages as materialized (
    select unnest(message_ids) as id from accepted where batch in (select batch from others)),
  messages as materialized (
    select m.id, max(o.claimed_at) as claimed_at from others o cross join lateral unnest(o.message_ids) as m (id)
     where not exists (select from accepted_messages a where a.id = m.id) group by m.id)
  select m.id, m.claimed_at from messages m where ${isProven(sql`${runId}::uuid`, sql`m.id`)}`

/**
 * When a run handed over accepted messages, and how many each time: one row for each hand-off, and one for each message that
 * only an event proves. The cost depends on the number of hand-offs, not of recipients.
 */
export const sentByTime = (runId: RunId) => sql`
  select claimed_at as at, recipient_count as people from hand_offs where origin_id = ${runId} and state = 'accepted'
  union all
  select claimed_at, 1 from (${provenByEvents(runId)}) as proven`

/**
 * True if fact e ends a message of this run that no provider event proves. Only a message whose hand-off was put back, or is not
 * stored, can be both, so that the messages of other runs are not looked up.
 */
const isTrueEnd = (runId: string) => sql`(
  not (select exists (select from hand_offs where origin_id = ${runId} and state = 'put_back')
           or exists (select from run_tallies where run_id = ${runId} and without_hand_off > 0))
  or not ${isProven(sql`e.origin_id`, sql`e.message_id`)})`

const countSentAndFailed = statement('count-sent-recipients', { sent: column.integer(), failed: column.integer() })

/**
 * Counts the recipients of a run who were sent to, and those who failed. Messages that only events prove, because their
 * hand-off is not stored, were sent too.
 */
export async function countSent(em: Em, workspaceId: string, runId: string): Promise<{ sent: number; failed: number }> {
  const counts = await countSentAndFailed.row(
    em,
    sql`with failed as (
          select count(*) as people from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
           where h.workspace_id = ${workspaceId} and h.origin_id = ${runId} and h.state = 'failed' and not ${isProven(sql`h.origin_id`, sql`m.id`)}
          union all
          select count(*) from message_facts e
           where e.workspace_id = ${workspaceId} and e.origin_id = ${runId} and e.fact = 'failed' and ${isTrueEnd(runId)})
        select (select coalesce(sum(people), 0)::int from (${sentByTime(runId)}) as handed_off)
                 + (select coalesce(sum(without_hand_off), 0)::int from run_tallies where workspace_id = ${workspaceId} and run_id = ${runId}) as sent,
               (select sum(people)::int from failed) as failed`,
  )
  return counts!
}

const countSkipReasons = statement('count-skipped-recipients', {
  reasons: column.texts(),
  recipients: column.integer(),
})

/** Counts the skipped recipients by reason. A recipient counts under each of its reasons. */
export async function countSkipped(
  em: Em,
  workspaceId: string,
  runId: string,
): Promise<{ recipients: number; byReason: Record<string, number> }> {
  const found = await countSkipReasons.rows(
    em,
    sql`select e.reasons, count(*)::int as recipients from message_facts e
         where e.workspace_id = ${workspaceId} and e.origin_id = ${runId} and e.fact = 'skipped' and ${isTrueEnd(runId)} group by e.reasons`,
  )
  const byReason = new Map<string, number>()
  for (const { reasons, recipients } of found)
    for (const reason of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + recipients)
  return {
    recipients: found.reduce((sum, { recipients }) => sum + recipients, 0),
    byReason: Object.fromEntries([...byReason].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const countUnproven = statement('count-unknown-recipients', { recipients: column.integer() })

/** Counts the recipients of unknown hand-offs without a provider event. */
export async function countUnknown(em: Em, workspaceId: string, runId: string): Promise<number> {
  const counted = await countUnproven.row(
    em,
    sql`select count(*)::int as recipients from (${unknownMessages(workspaceId, runId)}) m`,
  )
  return counted!.recipients
}
