import { defineEntity, p } from '@mikro-orm/core'
import { execute, rows, sql, type Em } from '@lettergate/database'
import type { HandOff } from './hand-off.ts'

/** When a contact was last sent to under an audience that has a minimum interval. Audiences without one have no rows. */
export const IntervalClaims = defineEntity({
  name: 'IntervalClaim',
  tableName: 'interval_claims',
  properties: {
    workspaceId: p.uuid().primary(),
    audienceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    handOffId: p.uuid(),
    claimedAt: p.datetime(),
    minimumIntervalSeconds: p.integer(),
  },
})

const withInterval = ({ id: handOffId, messages }: HandOff) =>
  messages.filter((one) => one.minimumIntervalSeconds > 0).map((message) => ({ ...message, handOffId }))

/**
 * Claims the minimum interval of each recipient, in the transaction of the intent. Returns the messages whose recipient is
 * in another claimed or accepted hand-off within the interval. Of two runs at the same moment, one gets the recipient.
 */
export async function claimIntervals(em: Em, workspaceId: string, calls: readonly HandOff[]): Promise<Set<string>> {
  const wanted = calls.flatMap(withInterval)
  if (wanted.length === 0) return new Set()
  const taken = await rows<{ contact_id: string; audience_id: string }>(
    em,
    sql`insert into interval_claims as known (workspace_id, audience_id, contact_id, hand_off_id, claimed_at, minimum_interval_seconds)
        select ${workspaceId}::uuid, t.audience_id, t.contact_id, t.hand_off_id, clock_timestamp(), t.seconds
          from unnest(${wanted.map((one) => one.audienceId)}::uuid[], ${wanted.map((one) => one.contactId)}::uuid[], ${wanted.map((one) => one.handOffId)}::uuid[],
                      ${wanted.map((one) => one.minimumIntervalSeconds)}::integer[]) as t (audience_id, contact_id, hand_off_id, seconds)
         order by t.audience_id, t.contact_id
        on conflict (workspace_id, audience_id, contact_id) do update
          set hand_off_id = excluded.hand_off_id, claimed_at = excluded.claimed_at, minimum_interval_seconds = excluded.minimum_interval_seconds
        where known.claimed_at <= excluded.claimed_at - make_interval(secs => excluded.minimum_interval_seconds)
        returning contact_id, audience_id`,
  )
  const reached = new Set(taken.map(({ contact_id, audience_id }) => `${contact_id} ${audience_id}`))
  return new Set(wanted.filter((one) => !reached.has(`${one.contactId} ${one.audienceId}`)).map(({ id }) => id))
}

/** Removes the interval claims of a hand-off that did not happen. */
export async function releaseIntervals(em: Em, handOff: HandOff): Promise<void> {
  const paced = withInterval(handOff)
  if (paced.length === 0) return
  await execute(
    em,
    sql`delete from interval_claims c using unnest(${paced.map((one) => one.audienceId)}::uuid[], ${paced.map((one) => one.contactId)}::uuid[]) as t (audience_id, contact_id)
         where c.workspace_id = ${handOff.workspaceId} and c.audience_id = t.audience_id and c.contact_id = t.contact_id and c.hand_off_id = ${handOff.id}`,
  )
}
