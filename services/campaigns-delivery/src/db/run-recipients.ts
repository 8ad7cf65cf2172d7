import { defineEntity, p } from '@mikro-orm/core'
import { row, rows, sql, type Em } from '@lettergate/database'
import { factTimes } from './fact-times.ts'

export const RunRecipients = defineEntity({
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
    state: p.text().$type<'pending' | 'claimed' | 'skipped' | 'failed'>(),
    handOffId: p.uuid().nullable(),
    attempt: p.smallint(),
    reasons: p.array().nullable(),
    ...factTimes(),
  },
})

/** Any fact is proof that the provider has the message, whatever became of our own call. */
export const hasFact = sql`coalesce(r.accepted_at, r.delivered_at, r.soft_failed_at, r.hard_bounced_at, r.provider_suppressed_at, r.complained_at, r.opened_at, r.clicked_at, r.unsubscribed_at) is not null`

/** Sent means accepted by the provider: its answer said so, or an event about the message did. */
export const isSent = sql`(r.state = 'claimed' and (h.state = 'accepted' or ${hasFact}))`

/**
 * How many of a run's recipients were sent to, and how many failed for good. Counts calls, not people, wherever a call settled
 * everybody in it, so that looking at a run of a million costs what looking at its calls costs.
 */
export async function countSent(em: Em, workspaceId: string, runId: string): Promise<{ sent: number; failed: number }> {
  const counts = await row<{ sent: number; failed: number }>(
    em,
    sql`with accepted as (
          select coalesce(sum(recipient_count), 0) as people from hand_offs
           where workspace_id = ${workspaceId} and run_id = ${runId} and state = 'accepted'),
        proven as (
          select count(*) as people from hand_offs h
            join run_recipients r on r.workspace_id = h.workspace_id and r.run_id = h.run_id and r.batch = h.batch and r.hand_off_id = h.id
           where h.workspace_id = ${workspaceId} and h.run_id = ${runId} and h.state <> 'accepted' and r.state = 'claimed' and ${hasFact}),
        failed as (
          select count(*) as people from run_recipients
           where workspace_id = ${workspaceId} and run_id = ${runId} and state = 'failed')
        select (accepted.people + proven.people)::int as sent, failed.people::int as failed from accepted, proven, failed`,
  )
  return counts ?? { sent: 0, failed: 0 }
}

/** Who was skipped, and why; a person counts under each reason that applied. */
export async function countSkipped(
  em: Em,
  workspaceId: string,
  runId: string,
): Promise<{ people: number; byReason: Record<string, number> }> {
  const found = await rows<{ reasons: string[]; people: number }>(
    em,
    sql`select reasons, count(*)::int as people from run_recipients
         where workspace_id = ${workspaceId} and run_id = ${runId} and state = 'skipped' group by reasons`,
  )
  const byReason = new Map<string, number>()
  for (const { reasons, people } of found)
    for (const reason of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + people)
  return {
    people: found.reduce((sum, { people }) => sum + people, 0),
    byReason: Object.fromEntries([...byReason].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** People of calls whose answer nobody has, and of whom the provider said nothing yet. */
export async function countUnknown(em: Em, workspaceId: string, runId: string): Promise<number> {
  const counted = await row<{ people: number }>(
    em,
    sql`select count(*)::int as people from hand_offs h
          join run_recipients r on r.workspace_id = h.workspace_id and r.run_id = h.run_id and r.batch = h.batch and r.hand_off_id = h.id
         where h.workspace_id = ${workspaceId} and h.run_id = ${runId} and h.state = 'unknown' and r.state = 'claimed' and not (${hasFact})`,
  )
  return counted!.people
}
