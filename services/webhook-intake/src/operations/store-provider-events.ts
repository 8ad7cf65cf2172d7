import { AlertRaisedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publishFrom, type Origin } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Context } from '@lettergate/database'
import { bindTokens } from '../db/consumed-token.entity.ts'
import { announcementOf, findKept, keepNew, markContradicted, type KeptEvent } from '../db/provider-event.entity.ts'
import type { EventFacts } from '../providers/mailgun/provider-event.ts'

/** A provider event that is genuine and fresh, on its way into the store. */
export interface Arrival {
  origin: Origin & { workspaceId: string }
  connectionId: string
  facts: EventFacts
  digest: Buffer
  bodyBytes: number
  /** SHA-256 over signing key name and token; one is good for one event */
  tokenHash: Buffer
  receivedAt: Date
}

/** The id is ours, and a duplicate's is that of the first. */
export interface Outcome {
  status: 'processed' | 'duplicate'
  id: string
}

const keyOf = (event: { connectionId: string; providerEventId: string }) =>
  `${event.connectionId} ${event.providerEventId}`

/**
 * Stores what arrived, of however many tenants, in one transaction: tokens are consumed, each event is stored and
 * announced once, and a repeat finds the first. An item whose token belongs to another event is refused alone.
 */
export async function storeProviderEvents(
  ctx: Pick<Context<object>, 'tx'>,
  arrivals: Arrival[],
): Promise<(Outcome | Error)[]> {
  return ctx.tx(async (em) => {
    const owners = await bindTokens(
      em,
      arrivals.map(({ tokenHash, facts }) => ({ tokenHash, providerEventId: facts.providerEventId })),
    )
    const allowed = new Set(
      arrivals.filter(({ tokenHash, facts }) => owners.get(tokenHash.toString('hex')) === facts.providerEventId),
    )

    const candidates = new Map<string, KeptEvent>()
    for (const { facts, connectionId, origin, digest, bodyBytes, receivedAt } of allowed) {
      const candidate = {
        ...facts,
        id: newId(),
        workspaceId: origin.workspaceId,
        connectionId,
        digest,
        bodyBytes,
        receivedAt,
      }
      if (!candidates.has(keyOf(candidate))) candidates.set(keyOf(candidate), candidate)
    }
    const added = new Set(await keepNew(em, [...candidates.values()]))
    const repeated = [...candidates.values()].filter((candidate) => !added.has(candidate.id))
    const kept = new Map((await findKept(em, repeated)).map((event) => [keyOf(event), event]))

    await announce(
      em,
      [...allowed],
      [...candidates.values()].filter((candidate) => added.has(candidate.id)),
    )

    const contradicted: { id: string; origin: Origin; arrival: Arrival }[] = []
    const answered = new Set<string>()
    const outcomes = arrivals.map((arrival): Outcome | Error => {
      const key = keyOf({ connectionId: arrival.connectionId, providerEventId: arrival.facts.providerEventId })
      const candidate = candidates.get(key)
      if (candidate === undefined || !allowed.has(arrival)) return tokenUsed()
      const original = kept.get(key) ?? candidate
      if (original.digest !== null && !original.digest.equals(arrival.digest))
        contradicted.push({ id: original.id, origin: arrival.origin, arrival })
      const isFirst = added.has(candidate.id) && !answered.has(key)
      answered.add(key)
      return { status: isFirst ? 'processed' : 'duplicate', id: original.id }
    })
    await alertContradictions(em, contradicted)
    return outcomes
  })
}

const tokenUsed = () =>
  new Fault(
    'unauthenticated',
    'token_used',
    'The signature was already used for another event. Sign each event with a token of its own.',
  )

async function announce(em: Em, arrivals: Arrival[], events: KeptEvent[]): Promise<void> {
  const origins = new Map(
    arrivals
      .toReversed()
      .map((arrival) => [
        keyOf({ connectionId: arrival.connectionId, providerEventId: arrival.facts.providerEventId }),
        arrival.origin,
      ]),
  )
  await publishFrom(
    em,
    ProviderEventReceivedSchema,
    events.map((event) => ({
      origin: origins.get(keyOf(event))!,
      id: event.id,
      init: announcementOf(event),
    })),
  )
}

/** Ids are said to be unique for a day only: a person should know when one comes back meaning something else. */
async function alertContradictions(
  em: Em,
  contradicted: { id: string; origin: Origin; arrival: Arrival }[],
): Promise<void> {
  if (contradicted.length === 0) return
  const first = new Set(await markContradicted(em, [...new Set(contradicted.map(({ id }) => id))]))
  await publishFrom(
    em,
    AlertRaisedSchema,
    contradicted
      .filter(({ id }) => first.delete(id))
      .map(({ id, origin, arrival }) => ({
        origin,
        init: {
          code: 'provider_event_contradicted',
          severity: 'warning',
          summary: 'A provider event came again with the same id and another content; the first one counts',
          detail: { provider_event_id: id, connection_id: arrival.connectionId, event: arrival.facts.event },
        },
      })),
  )
}
