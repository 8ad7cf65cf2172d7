import { column, sql, statement, type Em } from '@lettergate/database'
import { joinMessageState, unknownMessages } from '../messages/message-fact.entity.ts'

/**
 * The recipients of the resends of a run that were reached or may have been reached. Recipients who were skipped or failed there
 * were not reached.
 */
const reached = (workspaceId: string, runId: string) => sql`
  select r.id, r.contact_id, r.audience_id, r.normalized_email
    from campaign_runs n
    join run_recipients r on r.workspace_id = n.workspace_id and r.run_id = n.id ${joinMessageState(sql`r.run_id`)}
   where n.workspace_id = ${workspaceId} and n.resends_run_id = ${runId} and s.state not in ('skipped', 'failed')`

/**
 * The recipients of a run whose message is unknown, except contacts that another resend of this run reached or may have
 * reached. A window function is used because a join of two large runs without statistics would become a nested loop.
 */
export const resendable = (workspaceId: string, runId: string) => sql`
  select id, contact_id, audience_id, normalized_email from (
    select *, bool_or(is_reached) over (partition by contact_id) as was_reached from (
      select u.id, u.contact_id, u.audience_id, u.normalized_email, false as is_reached
        from (${unknownMessages(workspaceId, runId)}) m join run_recipients u on u.workspace_id = ${workspaceId} and u.id = m.id
      union all
      select *, true from (${reached(workspaceId, runId)}) as resent) as known) as recipients
   where not was_reached`

const countRecipients = statement('count-resendable-recipients', { count: column.integer() })

/** Counts the recipients of a run who can be sent to again. */
export async function countResendable(em: Em, workspaceId: string, runId: string): Promise<number> {
  const counted = await countRecipients.row(
    em,
    sql`select count(*)::int as count from (${resendable(workspaceId, runId)}) as recipients`,
  )
  return counted!.count
}

const countReached = statement('count-resent-recipients', { count: column.integer() })

/** Counts the recipients that the resends of a run reached or may have reached. */
export async function countResent(em: Em, workspaceId: string, runId: string): Promise<number> {
  const counted = await countReached.row(
    em,
    sql`select count(distinct contact_id)::int as count from (${reached(workspaceId, runId)}) as recipients`,
  )
  return counted!.count
}
