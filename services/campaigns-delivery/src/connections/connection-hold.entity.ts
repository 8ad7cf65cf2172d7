import { defineEntity, p } from '@mikro-orm/core'
import { execute, prepared, row, sql, type Em } from '@lettergate/database'
import { cooldownMs, singlesMs, type HoldReason } from './backoff.ts'

export const ConnectionHolds = defineEntity({
  name: 'ConnectionHold',
  tableName: 'connection_holds',
  properties: {
    workspaceId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    until: p.datetime(),
    failures: p.integer(),
    singlesUntil: p.datetime().nullable(),
    reason: p.text().$type<HoldReason>(),
    updatedAt: p.datetime(),
    coolingSince: p.datetime(),
    alertedAt: p.datetime().nullable(),
  },
})

/** Where a call goes: through a connection, for one domain of it. Either may rest without the other. */
export interface SendingRoute {
  workspaceId: string
  connectionId: string
  domainName: string
}

/** Whether a line may be called now, and whether with one person a call. */
export type RoutePermission = { kind: 'open' } | { kind: 'trial'; singles: boolean } | { kind: 'cooldown'; until: Date }

/** While a trial call is under way nobody else makes one. */
const trialMs = 20_000
/** A connection that nobody called for this long after its cooldown was not in cooldown meanwhile. */
const untriedMinutes = 5

/** Asks for the right to call, in the transaction that claims. Without trouble it costs one look-up, and nobody waits for anybody. */
export async function askPermission(
  em: Em,
  { workspaceId, connectionId, domainName }: SendingRoute,
): Promise<RoutePermission> {
  const hold = await row<{ until: string; is_cooling_down: boolean; singles: boolean }>(
    em,
    prepared(sql`with connection as (select until, singles_until from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} for update),
        domain as (select until from domain_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName} for update),
        holds as (select until, singles_until from connection union all select until, null from domain)
        select max(until) as until, max(until) > clock_timestamp() as is_cooling_down, coalesce(max(singles_until) > clock_timestamp(), false) as singles
          from holds having count(*) > 0`),
  )
  if (!hold) return { kind: 'open' }
  return hold.is_cooling_down
    ? { kind: 'cooldown', until: new Date(hold.until) }
    : { kind: 'trial', singles: hold.singles }
}

/** After a rest exactly one worker makes a trial call; the others rest on until it succeeded. In the transaction that asked. */
export async function beginTrial(em: Em, { workspaceId, connectionId, domainName }: SendingRoute): Promise<void> {
  const until = sql`until = clock_timestamp() + ${trialMs} * interval '1 ms', updated_at = now()`
  await execute(
    em,
    sql`with connection as (
          update connection_holds set ${until},
                 cooling_since = case when until < clock_timestamp() - ${untriedMinutes} * interval '1 minute' then clock_timestamp() else cooling_since end,
                 alerted_at = case when until < clock_timestamp() - ${untriedMinutes} * interval '1 minute' then null else alerted_at end
           where workspace_id = ${workspaceId} and connection_id = ${connectionId})
        update domain_holds set ${until} where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`,
  )
}

/** What came of a call that lets its line rest. */
export interface CallFailure {
  reason: HoldReason
  retryAfterMs: number
  /** the database's time of the call's intent */
  claimedAt: string
}

/**
 * Lets a line rest after a failure: the domain when only it was refused, else the whole connection. Longer after each in a row,
 * where calls that were under way together count as one. Answers until when, and whether it was without trouble before.
 */
export async function startCooldown(
  em: Em,
  route: SendingRoute,
  failure: CallFailure,
): Promise<{ until: Date; isNew: boolean }> {
  const known = await lockHold(em, route, failure)
  const isNewFailure = known === undefined || known.is_later
  const failures = (known?.failures ?? 0) + (isNewFailure ? 1 : 0)
  const cooldown = {
    ...failure,
    failures,
    isNewFailure,
    ms: cooldownMs(failure.reason, failures, failure.retryAfterMs),
  }
  const until =
    failure.reason === 'domain_refused'
      ? await coolDownDomain(em, route, cooldown)
      : await coolDownConnection(em, route, cooldown)
  return { until: new Date(until), isNew: known === undefined }
}

/** A call that began after a rest was written down tells something new; one from before tells the same again. */
function lockHold(
  em: Em,
  { workspaceId, connectionId, domainName }: SendingRoute,
  { reason, claimedAt }: CallFailure,
): Promise<{ failures: number; is_later: boolean } | undefined> {
  const held =
    reason === 'domain_refused'
      ? sql`domain_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`
      : sql`connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId}`
  return row(em, sql`select failures, updated_at <= ${claimedAt}::timestamptz as is_later from ${held} for update`)
}

interface Cooldown extends CallFailure {
  failures: number
  isNewFailure: boolean
  ms: number
}

/** What is newly known replaces the end of the rest, a trial's too; what repeats it can only make it later. */
const newUntil = (isNewFailure: boolean) =>
  isNewFailure ? sql`excluded.until` : sql`greatest(held.until, excluded.until)`

async function coolDownConnection(
  em: Em,
  { workspaceId, connectionId }: SendingRoute,
  cooldown: Cooldown,
): Promise<string> {
  const { ms, failures, reason } = cooldown
  const singles = reason === 'ambiguous' ? ms + singlesMs : null
  const stored = await row<{ until: string }>(
    em,
    sql`insert into connection_holds as held (workspace_id, connection_id, until, failures, singles_until, reason)
        values (${workspaceId}, ${connectionId}, clock_timestamp() + ${ms} * interval '1 ms', ${failures}, clock_timestamp() + ${singles}::float8 * interval '1 ms', ${reason})
        on conflict (workspace_id, connection_id) do update
          set until = ${newUntil(cooldown.isNewFailure)}, failures = excluded.failures, reason = excluded.reason, updated_at = clock_timestamp(),
              singles_until = greatest(held.singles_until, excluded.singles_until),
              cooling_since = case when held.failures = 0 then clock_timestamp() else held.cooling_since end
        returning until`,
  )
  return stored!.until
}

async function coolDownDomain(
  em: Em,
  { workspaceId, connectionId, domainName }: SendingRoute,
  cooldown: Cooldown,
): Promise<string> {
  const stored = await row<{ until: string }>(
    em,
    sql`insert into domain_holds as held (workspace_id, connection_id, domain_name, until, failures, reason)
        values (${workspaceId}, ${connectionId}, ${domainName}, clock_timestamp() + ${cooldown.ms} * interval '1 ms', ${cooldown.failures}, ${cooldown.reason})
        on conflict (workspace_id, connection_id, domain_name) do update
          set until = ${newUntil(cooldown.isNewFailure)}, failures = excluded.failures, updated_at = clock_timestamp()
        returning until`,
  )
  return stored!.until
}

/** A call succeeded: the line is open again, or, while its connection gets single calls, open for the next one. */
export async function endCooldown(em: Em, route: SendingRoute): Promise<void> {
  const { workspaceId, connectionId, domainName } = route
  await endConnectionCooldown(em, route)
  await execute(
    em,
    sql`delete from domain_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`,
  )
}

/** The provider knows the connection's key and works, whatever it says of the domain. */
export async function endConnectionCooldown(em: Em, { workspaceId, connectionId }: SendingRoute): Promise<void> {
  await execute(
    em,
    sql`delete from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and coalesce(singles_until <= clock_timestamp(), true)`,
  )
  await execute(
    em,
    sql`update connection_holds set until = clock_timestamp(), failures = 0, updated_at = now(), alerted_at = null where workspace_id = ${workspaceId} and connection_id = ${connectionId}`,
  )
}
