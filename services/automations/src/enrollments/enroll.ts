import { arrayOf, newId, sql, statement, textsOf, type Em } from '@lettergate/database'
import type { Carrier } from '@lettergate/service/tracing'
import { inSets } from '../contacts/in-sets.ts'

/** One contact who enters an automation. */
export interface Entrant {
  readonly automationId: string
  readonly versionId: string
  readonly startNode: string
  /** the end of the wait with which the automation begins; null if it begins with something else */
  readonly waitUntil: Date | null
  readonly contactId: string
  readonly triggerType: string
  /** the audience of the trigger */
  readonly audienceId: string | null
  /** of the request that fired the trigger */
  readonly correlationId: string
  readonly trace: Carrier
}

const insertEnrollments = statement('insert-enrollments')

/** A set of events and many automations give many entrants, and one statement for all of them would take too much memory. */
const entrantsAtOnce = 2_000

/**
 * Enrols contacts. Who is in the automation already is left out. Answers how many entered. The caller has made sure that the automations
 * are published.
 */
export async function enroll(em: Em, workspaceId: string, entrants: readonly Entrant[], at: Date): Promise<number> {
  // One order, so that concurrent sets wait for each other and never in a circle.
  const ordered = entrants.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  let entered = 0
  for (const set of inSets(ordered, entrantsAtOnce)) entered += await insertSet(em, workspaceId, set, at)
  return entered
}

function insertSet(em: Em, workspaceId: string, set: readonly Entrant[], at: Date): Promise<number> {
  const uuids = (idOf: (one: Entrant) => string) => sql`${arrayOf(set.map(idOf))}::uuid[]`
  const texts = (textOf: (one: Entrant) => string | null) => sql`${textsOf(set.map(textOf))}::text[]`
  const now = at.toISOString()
  return insertEnrollments.execute(
    em,
    sql`with given as (
          select * from unnest(${uuids(() => newId())}, ${uuids(() => newId())}, ${uuids((one) => one.automationId)}, ${uuids((one) => one.versionId)},
                               ${uuids((one) => one.contactId)}, ${texts((one) => one.startNode)}, ${texts((one) => one.triggerType)},
                               ${texts((one) => one.audienceId)}, ${texts((one) => one.correlationId)}, ${texts((one) => JSON.stringify(one.trace))},
                               ${texts((one) => one.waitUntil?.toISOString() ?? null)})
            as t (id, step_id, automation_id, version_id, contact_id, node_key, trigger_type, audience_id, correlation_id, trace, wait_until)),
        entered as (
          insert into enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id, step_number, due_at,
                                            wait_until, arrived_at)
          select ${workspaceId}, id, automation_id, contact_id, case when wait_until is null then 'active' else 'waiting' end, node_key, step_id, 1,
                 coalesce(wait_until::timestamptz, ${now}::timestamptz), wait_until::timestamptz, ${now}::timestamptz from given
          on conflict on constraint enrollment_positions_once do nothing returning enrollment_id, due_at),
        begun as (
          insert into enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, audience_id, correlation_id, trace, enrolled_at)
          select ${workspaceId}, id, automation_id, version_id, contact_id, trigger_type, audience_id::uuid, correlation_id, trace::jsonb, ${now}::timestamptz
            from given join entered on entered.enrollment_id = given.id)
        insert into due_enrollments (workspace_id, due_at, enrollment_id)
        select ${workspaceId}, due_at, enrollment_id from entered`,
  )
}

const keyOf = ({ contactId, automationId }: Entrant) => `${contactId} ${automationId}`
