import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { newId, type Em } from '@lettergate/database'
import {
  askPermission,
  beginTrial,
  type RoutePermission,
  type SendingRoute,
} from '../connections/connection-hold.entity.ts'
import { lockPace, storePace } from '../connections/connection-pace.entity.ts'
import { pace } from '../connections/pace.ts'
import type { ClaimedHandOff, HandOffMessage } from './hand-off.ts'
import { claimIntervals, releaseIntervals } from './interval-claim.entity.ts'
import { takeSlots } from './take-slots.ts'

/** Limits of one connection across all workers. */
export interface ConnectionLimits {
  /** calls under way */
  atOnce: number
  /** messages a second; 0: no limit */
  perSecond: number
}

/** Limits of one claim. `atOnce` null: takes no slot, as a test send, which does not wait behind a campaign. */
export type ClaimLimits = Omit<ConnectionLimits, 'atOnce'> & { atOnce: number | null }

/** The messages to hand over next, with their sender and the run, test send or automation they belong to. */
export interface ClaimRequest extends Pick<ClaimedHandOff, 'workspaceId' | 'kind' | 'originId'> {
  messages: readonly HandOffMessage[]
  /** the batch of each message; messages of different batches are never in one call */
  pending: ReadonlyMap<string, number>
  sender: SenderReadiness
  /** whether the route may be called, if the caller asked for it in this transaction */
  permission?: RoutePermission
  /** database time before the verdicts were requested */
  judgedAt: string
  limits: ClaimLimits
  /** one recipient in each call */
  isSingles: boolean
  /** the run whose unknown messages these ones send again */
  resentRunId?: string | null
}

export type Claim =
  /**
   * `tooSoon`: ids of messages whose recipient got another message within the minimum interval of the audience. `transactionId`:
   * of the database, if something was stored
   */
  | { kind: 'claimed'; handOffs: ClaimedHandOff[]; isTrial: boolean; tooSoon: Set<string>; transactionId?: string }
  | { kind: 'cooldown'; until: Date }
  | { kind: 'paced' }
  | { kind: 'connection_full' }
  /** the verdicts are too old, or a recipient withdrew since; the caller must ask again */
  | { kind: 'outdated' }

/** Calls at once while each call carries one recipient. */
const singlesAtOnce = 5

export const routeOf = (workspaceId: string, { providerConnectionId, domainName }: SenderReadiness): SendingRoute => ({
  workspaceId,
  connectionId: providerConnectionId,
  domainName,
})

export const sizeOf = (handOffs: readonly ClaimedHandOff[]): number =>
  handOffs.reduce((sum, { messages }) => sum + messages.length, 0)

/**
 * Stores the intent of the next calls before they are made. Checks the route, the pace, the minimum intervals and the free
 * slots, in this order. Claims nothing while the connection is in cooldown, ahead of its rate, or has no free slot. A unique
 * index prevents a message from being in two hand-offs.
 */
export async function claim(em: Em, request: ClaimRequest): Promise<Claim> {
  const { workspaceId, limits, sender } = request
  const route = routeOf(workspaceId, sender)
  const permission = request.permission ?? (await askPermission(em, route))
  if (permission.kind === 'cooldown') return permission
  const isTrial = permission.kind === 'trial'
  const aheadMs = limits.perSecond === 0 ? 0 : await lockPace(em, route)
  if (aheadMs > 0) return { kind: 'paced' }

  const isAlone = request.isSingles || (isTrial && permission.singles)
  const calls = callsFor(request, isAlone).slice(0, isTrial && !isAlone ? 1 : undefined)
  const payable = limits.perSecond === 0 ? calls : callsWithin(calls, aheadMs, limits.perSecond)
  const tooSoon = await claimIntervals(em, { workspaceId, resentRunId: request.resentRunId ?? null }, payable)
  const timely = payable
    .map((call) => ({ ...call, messages: call.messages.filter(({ id }) => !tooSoon.has(id)) }))
    .filter(({ messages }) => messages.length > 0)
  if (timely.length === 0) return { kind: 'claimed', handOffs: [], isTrial: false, tooSoon }

  const { region, credentialEnvKey } = sender
  const taken = await takeSlots(em, { route, region, credentialEnvKey, ...request, ...limits }, timely)
  if (taken.kind === 'outdated') return { kind: 'outdated' }
  const { handOffs, transactionId } = taken
  for (const call of timely) if (!handOffs.includes(call)) await releaseIntervals(em, call)
  if (handOffs.length === 0) return { kind: 'connection_full' }
  if (isTrial) await beginTrial(em, route)
  const paid = limits.perSecond === 0 ? undefined : pace(aheadMs, sizeOf(handOffs), limits.perSecond)
  if (paid?.kind === 'go') await storePace(em, route, paid.aheadMs)
  return { kind: 'claimed', handOffs, isTrial, tooSoon, transactionId }
}

/** One call for each batch, or for each of the first messages. */
function callsFor(
  { workspaceId, kind, originId, pending, messages }: ClaimRequest,
  isAlone: boolean,
): ClaimedHandOff[] {
  const byBatch = Map.groupBy(messages, ({ id }) => pending.get(id)!)
  const groups = [...byBatch].flatMap(([batch, all]) =>
    isAlone ? all.map((one) => ({ batch, messages: [one] })) : [{ batch, messages: all }],
  )
  return groups
    .slice(0, isAlone ? singlesAtOnce : undefined)
    .map(({ batch, messages: group }) => ({ workspaceId, id: newId(), kind, originId, batch, messages: group }))
}

/** The first of these calls that the rate allows now, one after the other. */
function callsWithin(calls: readonly ClaimedHandOff[], aheadMs: number, perSecond: number): ClaimedHandOff[] {
  let ahead = aheadMs
  return calls.filter(({ messages }) => {
    const paid = pace(ahead, messages.length, perSecond)
    if (paid.kind === 'go') ahead = paid.aheadMs
    return paid.kind === 'go'
  })
}
