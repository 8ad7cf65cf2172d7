import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { newId, type Em } from '@lettergate/database'
import { askPermission, beginTrial, type SendingRoute } from '../connections/connection-hold.entity.ts'
import { lockPace, payPace } from '../connections/connection-pace.entity.ts'
import { pace } from '../connections/pace.ts'
import type { HandOff, HandOffMessage } from './hand-off.ts'
import { claimIntervals, releaseIntervals } from './interval-claim.entity.ts'
import { takeSlots } from './take-slots.ts'

/** What one connection takes, over all workers. */
export interface ConnectionLimits {
  /** calls under way */
  atOnce: number
  /** messages; 0 is as fast as it goes */
  perSecond: number
}

/** These people, this content's sender, for this origin: what is handed over next. */
export interface ClaimRequest extends Pick<HandOff, 'workspaceId' | 'kind' | 'originId' | 'batch'> {
  messages: readonly HandOffMessage[]
  sender: SenderReadiness
  /** the database's time before anybody was asked about these people */
  judgedAt: string
  /** at once null: beside the slots, as a person's single test goes */
  limits: Omit<ConnectionLimits, 'atOnce'> & { atOnce: number | null }
  /** everybody alone */
  isSingles: boolean
}

export type Claim =
  /** `tooSoon`: ids of the messages to people whom another hand-off reached within the interval of the audience */
  | { kind: 'claimed'; handOffs: HandOff[]; isTrial: boolean; tooSoon: Set<string> }
  | { kind: 'cooldown'; until: Date }
  | { kind: 'paced' }
  | { kind: 'connection_full' }
  /** the verdicts are too old, or one of these people was heard to refuse since: whoever asked asks again */
  | { kind: 'outdated' }

/** Calls at once while every message is handed over alone. */
const singlesAtOnce = 5

export const routeOf = (workspaceId: string, { providerConnectionId, domainName }: SenderReadiness): SendingRoute => ({
  workspaceId,
  connectionId: providerConnectionId,
  domainName,
})

export const sizeOf = (handOffs: readonly HandOff[]): number =>
  handOffs.reduce((sum, { messages }) => sum + messages.length, 0)

/**
 * Writes down the calls that are about to be made, before any socket is touched: asks the line, the pace, the intervals and
 * the slots for these people, in this order. A connection that rests, is ahead of its pace or has all its calls under way takes
 * nobody. That nobody stands in two hand-offs is refused by the database.
 */
export async function claim(em: Em, request: ClaimRequest): Promise<Claim> {
  const { workspaceId, limits, sender } = request
  const route = routeOf(workspaceId, sender)
  const permission = await askPermission(em, route)
  if (permission.kind === 'cooldown') return permission
  const isTrial = permission.kind === 'trial'
  const aheadMs = limits.perSecond === 0 ? 0 : await lockPace(em, route)
  if (aheadMs > 0) return { kind: 'paced' }

  const calls = callsFor(request, request.isSingles || (isTrial && permission.singles))
  const tooSoon = await claimIntervals(em, workspaceId, calls)
  const timely = calls
    .map((call) => ({ ...call, messages: call.messages.filter(({ id }) => !tooSoon.has(id)) }))
    .filter(({ messages }) => messages.length > 0)
  if (timely.length === 0) return { kind: 'claimed', handOffs: [], isTrial: false, tooSoon }

  const { region, credentialEnvKey } = sender
  const taken = await takeSlots(em, { route, region, credentialEnvKey, ...request, ...limits }, timely)
  const handOffs = taken.kind === 'taken' ? taken.handOffs : []
  for (const call of timely) if (!handOffs.includes(call)) await releaseIntervals(em, call)
  if (taken.kind === 'outdated') return { kind: 'outdated' }
  if (handOffs.length === 0) return { kind: 'connection_full' }
  if (isTrial) await beginTrial(em, route)
  const paid = limits.perSecond === 0 ? undefined : pace(aheadMs, sizeOf(handOffs), limits.perSecond)
  if (paid?.kind === 'go') await payPace(em, route, paid.aheadMs)
  return { kind: 'claimed', handOffs, isTrial, tooSoon }
}

function callsFor({ workspaceId, kind, originId, batch, messages }: ClaimRequest, isAlone: boolean): HandOff[] {
  const groups = isAlone ? messages.slice(0, singlesAtOnce).map((one) => [one]) : [messages]
  return groups.map((group) => ({ workspaceId, id: newId(), kind, originId, batch, messages: group }))
}
