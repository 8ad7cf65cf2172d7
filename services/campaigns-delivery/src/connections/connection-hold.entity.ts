import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, kyselyOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { cooldownMs, singlesMs, type HoldReason } from './backoff.ts'
import { DomainHold } from './domain-hold.entity.ts'
import { endConnectionAlerts, endDomainAlert } from './end-connection-alerts.ts'

export const ConnectionHold = defineEntity({
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

/**
 * A sending route: a provider connection and the domain that it sends for. The connection and the domain can be in cooldown
 * independently.
 */
export interface SendingRoute {
  workspaceId: string
  connectionId: string
  domainName: string
}

/** Whether a route may be called now. `singles` means that each call carries one recipient. */
export type RoutePermission = { kind: 'open' } | { kind: 'trial'; singles: boolean } | { kind: 'cooldown'; until: Date }

/** Until a trial call ends, or for this long, no other worker makes one. */
const trialMs = 20_000
/** A connection that was not called for this long after its cooldown ended starts a new cooldown period when it fails again. */
const untriedMinutes = 5

const holdColumns = {
  ...columns(ConnectionHold, 'until'),
  is_cooling_down: column.boolean(),
  singles: column.boolean(),
}
const selectHolds = statement('select-holds-of-route', holdColumns)

/**
 * Checks whether the route may be called, in the transaction that claims the messages. Without a cooldown this costs one
 * query and takes no lock.
 */
export const askPermission = async (em: Em, route: SendingRoute): Promise<RoutePermission> =>
  (await askPermissionLater(em, route))()

/** The same, sent in one write with the next statement. The returned function answers. */
export async function askPermissionLater(
  em: Em,
  { workspaceId, connectionId, domainName }: SendingRoute,
): Promise<() => Promise<RoutePermission>> {
  const hold = await selectHolds.rowLater(
    em,
    sql`with connection as (select until, singles_until from connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} for update),
        domain as (select until from domain_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName} for update),
        holds as (select until, singles_until from connection union all select until, null from domain)
        select max(until) as until, max(until) > clock_timestamp() as is_cooling_down, coalesce(max(singles_until) > clock_timestamp(), false) as singles
          from holds having count(*) > 0`,
  )
  return async () => permissionOf(await hold())
}

function permissionOf(hold: RowOf<typeof holdColumns> | undefined): RoutePermission {
  if (!hold) return { kind: 'open' }
  return hold.is_cooling_down
    ? { kind: 'cooldown', until: new Date(hold.until) }
    : { kind: 'trial', singles: hold.singles }
}

const storeTrial = statement('begin-trial')

/**
 * Makes the current worker the only one that calls the route after a cooldown. The other workers wait for the result of this
 * trial call. Runs in the transaction that asked for permission.
 */
export async function beginTrial(em: Em, { workspaceId, connectionId, domainName }: SendingRoute): Promise<void> {
  const until = sql`until = clock_timestamp() + ${trialMs} * interval '1 ms', updated_at = now()`
  await storeTrial.execute(
    em,
    sql`with connection as (
          update connection_holds set ${until},
                 cooling_since = case when until < clock_timestamp() - ${untriedMinutes} * interval '1 minute' then clock_timestamp() else cooling_since end,
                 alerted_at = case when until < clock_timestamp() - ${untriedMinutes} * interval '1 minute' then null else alerted_at end
           where workspace_id = ${workspaceId} and connection_id = ${connectionId})
        update domain_holds set ${until} where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`,
  )
}

const storeNoTrial = statement('end-trial')

/** Allows another trial at once, because the trial of this route was not made. */
export async function endTrial(em: Em, { workspaceId, connectionId, domainName }: SendingRoute): Promise<void> {
  await storeNoTrial.execute(
    em,
    sql`with connection as (
          update connection_holds set until = clock_timestamp() where workspace_id = ${workspaceId} and connection_id = ${connectionId})
        update domain_holds set until = clock_timestamp() where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`,
  )
}

/** A failed call that starts a cooldown of its route. */
export interface CallFailure {
  reason: HoldReason
  retryAfterMs: number
  /** database time of the call's intent */
  claimedAt: string
}

/**
 * Starts a cooldown after a failure: of the domain if only the domain was refused, otherwise of the whole connection. Each
 * consecutive failure makes it longer; calls that were under way at the same time count as one failure. Returns when the
 * cooldown ends, and whether the route had no cooldown for this reason before.
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
  return { until: new Date(until), isNew: known?.reason !== failure.reason }
}

const lockHoldOfRoute = statement('lock-hold', {
  ...columns(ConnectionHold, 'failures', 'reason'),
  is_later: column.boolean(),
})

/**
 * Locks the current hold. A call that began before the hold was last updated reports the same failure and is not counted
 * again.
 */
function lockHold(em: Em, { workspaceId, connectionId, domainName }: SendingRoute, { reason, claimedAt }: CallFailure) {
  const held =
    reason === 'domain_refused'
      ? sql`domain_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId} and domain_name = ${domainName}`
      : sql`connection_holds where workspace_id = ${workspaceId} and connection_id = ${connectionId}`
  return lockHoldOfRoute.row(
    em,
    sql`select failures, reason, updated_at <= ${claimedAt}::timestamptz as is_later from ${held} for update`,
  )
}

interface Cooldown extends CallFailure {
  failures: number
  isNewFailure: boolean
  ms: number
}

/** A new failure replaces the end of the cooldown, also that of a trial. A repeated failure can only extend it. */
const newUntil = (isNewFailure: boolean) =>
  isNewFailure ? sql`excluded.until` : sql`greatest(held.until, excluded.until)`

const upsertConnectionHold = statement('cool-down-connection', columns(ConnectionHold, 'until'))

async function coolDownConnection(
  em: Em,
  { workspaceId, connectionId }: SendingRoute,
  cooldown: Cooldown,
): Promise<string> {
  const { ms, failures, reason } = cooldown
  const singles = reason === 'ambiguous' ? ms + singlesMs : null
  const stored = await upsertConnectionHold.row(
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

const upsertDomainHold = statement('cool-down-domain', columns(DomainHold, 'until'))

async function coolDownDomain(
  em: Em,
  { workspaceId, connectionId, domainName }: SendingRoute,
  cooldown: Cooldown,
): Promise<string> {
  const stored = await upsertDomainHold.row(
    em,
    sql`insert into domain_holds as held (workspace_id, connection_id, domain_name, until, failures, reason)
        values (${workspaceId}, ${connectionId}, ${domainName}, clock_timestamp() + ${cooldown.ms} * interval '1 ms', ${cooldown.failures}, ${cooldown.reason})
        on conflict (workspace_id, connection_id, domain_name) do update
          set until = ${newUntil(cooldown.isNewFailure)}, failures = excluded.failures, updated_at = clock_timestamp()
        returning until`,
  )
  return stored!.until
}

/**
 * Ends the cooldown of a route after a successful call. While its connection is limited to single recipients, the next call
 * may follow at once.
 */
export async function endCooldown(em: Em, route: SendingRoute): Promise<void> {
  const { workspaceId, connectionId, domainName } = route
  await endConnectionCooldown(em, route)
  if ((await em.nativeDelete(DomainHold, { workspaceId, connectionId, domainName })) > 0)
    await endDomainAlert(em, route)
}

/** Ends the cooldown of the connection only: the provider accepted its credential, whatever it answered about the domain. */
export async function endConnectionCooldown(em: Em, { workspaceId, connectionId }: SendingRoute): Promise<void> {
  const holds = kyselyOf(em, ConnectionHold)
  const held = await holds
    .selectFrom('connection_holds')
    .select(['failures', 'reason', 'alerted_at'])
    .where('workspace_id', '=', workspaceId)
    .where('connection_id', '=', connectionId)
    .executeTakeFirst()
  if (held && (held.failures > 1 || held.reason === 'credential_refused' || held.alerted_at !== null))
    await endConnectionAlerts(em, connectionId)
  await holds
    .deleteFrom('connection_holds')
    .where('workspace_id', '=', workspaceId)
    .where('connection_id', '=', connectionId)
    .where((eb) => eb.or([eb('singles_until', 'is', null), eb('singles_until', '<=', sql<string>`clock_timestamp()`)]))
    .execute()
  await holds
    .updateTable('connection_holds')
    .set({ until: sql`clock_timestamp()`, failures: 0, updated_at: sql`now()`, alerted_at: null })
    .where('workspace_id', '=', workspaceId)
    .where('connection_id', '=', connectionId)
    .execute()
}
