import { defineEntity, p } from '@mikro-orm/core'
import { columns, sql, statement, type Em } from '@lettergate/database'
import { isProven } from '../messages/message-fact.entity.ts'
import type { ClaimedHandOff } from './hand-off.ts'

/** When a contact was last sent to under an audience that has a minimum interval. Audiences without one have no rows. */
export const IntervalClaim = defineEntity({
  name: 'IntervalClaim',
  tableName: 'interval_claims',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    handOffId: p.uuid(),
    claimedAt: p.datetime(),
    minimumIntervalSeconds: p.integer(),
    /** the claim of an unknown message that this one sends again; it counts if this call does not happen */
    replacedHandOffId: p.uuid().nullable(),
    replacedClaimedAt: p.datetime().nullable(),
  },
})

const withInterval = ({ id: handOffId, messages }: ClaimedHandOff) =>
  messages.filter((one) => one.minimumIntervalSeconds > 0).map((message) => ({ ...message, handOffId }))

const upsertClaims = statement('claim-intervals', columns(IntervalClaim, 'contact_id', 'audience_id'))

/**
 * Claims the minimum interval of each recipient, in the transaction of the intent. Returns the messages whose recipient is
 * in another hand-off within the interval. Of two runs at the same moment, one gets the recipient. A message of the run
 * `resentRunId` does not count while it is unknown, because a person confirmed that these messages are sent again.
 */
export async function claimIntervals(
  em: Em,
  { workspaceId, resentRunId }: { workspaceId: string; resentRunId: string | null },
  calls: readonly ClaimedHandOff[],
): Promise<Set<string>> {
  const wanted = calls.flatMap(withInterval)
  if (wanted.length === 0) return new Set()
  const taken = await upsertClaims.rows(
    em,
    sql`insert into interval_claims as known (workspace_id, audience_id, contact_id, hand_off_id, claimed_at, minimum_interval_seconds)
        select ${workspaceId}::uuid, t.audience_id, t.contact_id, t.hand_off_id, clock_timestamp(), t.seconds
          from unnest(${wanted.map((one) => one.audienceId)}::uuid[], ${wanted.map((one) => one.contactId)}::uuid[], ${wanted.map((one) => one.handOffId)}::uuid[],
                      ${wanted.map((one) => one.minimumIntervalSeconds)}::integer[]) as t (audience_id, contact_id, hand_off_id, seconds)
         order by t.audience_id, t.contact_id
        on conflict (workspace_id, audience_id, contact_id) do update
          set hand_off_id = excluded.hand_off_id, claimed_at = excluded.claimed_at, minimum_interval_seconds = excluded.minimum_interval_seconds,
              replaced_hand_off_id = case when not ${isOver} then known.hand_off_id end, replaced_claimed_at = case when not ${isOver} then known.claimed_at end
        where ${isOver} or ${isUnknownIn(resentRunId)}
        returning contact_id, audience_id`,
  )
  const reached = new Set(taken.map(({ contact_id, audience_id }) => `${contact_id} ${audience_id}`))
  return new Set(wanted.filter((one) => !reached.has(`${one.contactId} ${one.audienceId}`)).map(({ id }) => id))
}

const isOver = sql`(known.claimed_at <= excluded.claimed_at - make_interval(secs => excluded.minimum_interval_seconds))`

/** The known claim is that of a message of this run which is unknown. */
const isUnknownIn = (runId: string | null) =>
  runId === null
    ? sql`false`
    : sql`exists (
        select from hand_offs h join run_recipients r on r.workspace_id = h.workspace_id and r.run_id = h.origin_id and r.id = any(h.message_ids)
         where h.workspace_id = known.workspace_id and h.id = known.hand_off_id and h.origin_id = ${runId}::uuid and h.state = 'unknown'
           and r.contact_id = known.contact_id and not ${isProven(sql`h.origin_id`, sql`r.id`)})`

const removeClaims = statement('release-intervals')

/** Removes the interval claims of a hand-off that did not happen. The claims that they replaced count again. */
export async function releaseIntervals(em: Em, handOff: ClaimedHandOff): Promise<void> {
  const paced = withInterval(handOff)
  if (paced.length === 0) return
  await removeClaims.execute(
    em,
    sql`with claims as (
          select c.* from interval_claims c
            join unnest(${paced.map((one) => one.audienceId)}::uuid[], ${paced.map((one) => one.contactId)}::uuid[]) as t (audience_id, contact_id) using (audience_id, contact_id)
           where c.workspace_id = ${handOff.workspaceId} and ${handOff.id} in (c.hand_off_id, c.replaced_hand_off_id)
           order by c.audience_id, c.contact_id for update of c),
        kept as (
          update interval_claims c set replaced_hand_off_id = null, replaced_claimed_at = null,
                 hand_off_id = case when c.hand_off_id = ${handOff.id} then c.replaced_hand_off_id else c.hand_off_id end,
                 claimed_at = case when c.hand_off_id = ${handOff.id} then c.replaced_claimed_at else c.claimed_at end
            from claims where c.workspace_id = claims.workspace_id and c.audience_id = claims.audience_id and c.contact_id = claims.contact_id
             and claims.replaced_hand_off_id is not null)
        delete from interval_claims c using claims
         where c.workspace_id = claims.workspace_id and c.audience_id = claims.audience_id and c.contact_id = claims.contact_id
           and claims.replaced_hand_off_id is null`,
  )
}
