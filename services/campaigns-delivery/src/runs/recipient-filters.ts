import { sql, type Sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { outcome, reasons } from '../messages/message-fact.entity.ts'
import { bounceFacts, outcomes, type MessageOutcome } from '../messages/outcome.ts'
import { recipientStates, type RecipientState } from '../messages/recipient-state.ts'

export interface RecipientFilters {
  state?: string | undefined
  outcome?: string | undefined
  reason?: string | undefined
  search?: string | undefined
}

/** SQL conditions on the recipients of a run: `among` is a fast superset, `where` is exact. */
export interface RecipientConditions {
  /** ids that may match, found by index; undefined when every recipient may match */
  among: Sql | undefined
  /** most recipients can match, so that the next ones by address are likely to */
  isFrequent: boolean
  /** on recipients r with their message states */
  where: Sql
  /** on recipients r alone */
  search: Sql
}

function chosen<T extends string>(field: string, given: string, known: readonly T[]): T {
  const found = known.find((one) => one === given)
  if (found !== undefined) return found
  throw new Fault('invalid_argument', field, `${field} must be one of ${known.join(', ')}.`)
}

const withFact = (runId: string, ...facts: string[]) =>
  sql`select message_id as id from message_facts where origin_id = ${runId} and fact in (${sql.join(facts.map((fact) => sql.lit(fact)))})`

const inHandOff = (runId: string, ...states: string[]) =>
  sql`select unnest(message_ids) as id from hand_offs where origin_id = ${runId} and state in (${sql.join(states.map((state) => sql.lit(state)))})`

/** Where to find the recipients that may be in a state. The state itself is computed in `joinMessageState`. */
const candidates: Record<RecipientState, (runId: string) => Sql> = {
  // Also in batches that are done: a recipient without an end there is a fault that a person looks for.
  pending: (runId) => sql`
    select c.id from run_recipients c where c.run_id = ${runId} and c.batch in (
      select batch from delivery_batches where run_id = ${runId} and done_at is null
      union all
      select batch from (
        select batch, count(*) as people from run_recipients where run_id = ${runId} group by batch
        union all
        select batch, -sum(recipient_count) from hand_offs where origin_id = ${runId} and state <> 'put_back' group by batch
        union all
        select e.batch, -count(*) from message_facts f join run_recipients e on e.workspace_id = f.workspace_id and e.id = f.message_id
         where f.origin_id = ${runId} and f.fact in ('skipped', 'failed') group by e.batch) as counted
       group by batch having sum(people) > 0)`,
  claimed: (runId) => inHandOff(runId, 'claimed'),
  unknown: (runId) => inHandOff(runId, 'unknown'),
  skipped: (runId) => withFact(runId, 'skipped'),
  failed: (runId) => sql`${withFact(runId, 'failed')} union all ${inHandOff(runId, 'failed')}`,
  delivered: (runId) => withFact(runId, 'delivered'),
  soft_failed: (runId) => withFact(runId, 'soft_failed'),
  hard_bounced: (runId) => withFact(runId, ...bounceFacts),
  accepted: (runId) => sql`
    select m.id from hand_offs h cross join lateral unnest(h.message_ids) as m (id) where h.origin_id = ${runId} and h.state <> 'put_back'
       except select message_id from message_facts where origin_id = ${runId} and fact in ('delivered', 'soft_failed', 'hard_bounced', 'provider_suppressed')
    union all select message_id from message_facts where origin_id = ${runId} and fact in ('accepted', 'opened', 'clicked', 'complained', 'unsubscribed')`,
}

/** States that most recipients of a run can have at some time. */
const frequent: ReadonlySet<RecipientState> = new Set(['pending', 'accepted', 'delivered'])

const stateOf = {
  delivered: 'delivered',
  hard_bounced: 'hard_bounced',
  soft_failed_only: 'soft_failed',
  no_terminal_event: 'accepted',
} as const satisfies Record<MessageOutcome, RecipientState>

/** Combines the filters with "and". Fault `invalid_argument` names the invalid filter. */
export function recipientConditions(runId: string, filters: RecipientFilters): RecipientConditions {
  const { state, outcome: ended, reason, search } = filters
  const where = [sql`true`]
  const wanted: RecipientState[] = []
  if (state !== undefined) {
    wanted.push(chosen('state', state, recipientStates))
    where.push(sql`s.state = ${state}`)
  }
  if (ended !== undefined) {
    wanted.push(stateOf[chosen('outcome', ended, outcomes)])
    where.push(sql`${outcome} = ${ended}`)
  }
  const among = wanted.map((one) => candidates[one](runId))
  if (reason !== undefined) {
    where.push(sql`${reason} = any(${reasons})`)
    among.push(sql`${withFact(runId, 'skipped', 'failed')} union all ${inHandOff(runId, 'failed', 'unknown')}`)
  }
  return {
    isFrequent: reason === undefined && wanted.some((one) => frequent.has(one)),
    among:
      among.length === 0
        ? undefined
        : sql.join(
            among.map((ids) => sql`(${ids})`),
            sql` intersect `,
          ),
    where: sql.join(where, sql` and `),
    search: search === undefined ? sql`true` : beginsWith(search.trim().toLowerCase()),
  }
}

/**
 * Addresses are stored in byte order, so a prefix search is a range from the prefix to the prefix with the highest character
 * appended.
 */
const beginsWith = (text: string) =>
  sql`(r.normalized_email >= ${text} and starts_with(r.normalized_email, ${text}) and r.normalized_email < ${`${text}\u{10ffff}`})`
