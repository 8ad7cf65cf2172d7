import { AlertRaisedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publishFrom, type EventOrigin } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Context } from '@lettergate/database'
import { bindTokens } from '../db/consumed-token.entity.ts'
import {
  announcementOf,
  findStored,
  insertNew,
  markContradicted,
  type StoredEvent,
} from '../db/provider-event.entity.ts'
import type { EventFacts } from '../providers/mailgun/provider-event.ts'

/** A provider event with a valid and fresh signature, before it is stored. */
export interface Arrival {
  origin: EventOrigin & { workspaceId: string }
  connectionId: string
  facts: EventFacts
  digest: Buffer
  bodyBytes: number
  /** SHA-256 of signing key name and token; a token is valid for one event */
  tokenHash: Buffer
  receivedAt: Date
}

/** The id of the stored event; a duplicate has the id of the first one. */
export interface StoreOutcome {
  status: 'processed' | 'duplicate'
  id: string
}

const keyOf = (event: { connectionId: string; providerEventId: string }) =>
  `${event.connectionId} ${event.providerEventId}`

/**
 * Stores arrivals of any tenants in one transaction: it consumes the tokens, and stores and publishes each event once. A
 * repeated event gets the id of the first. An arrival whose token belongs to another event is refused alone.
 */
export async function storeProviderEvents(
  ctx: Pick<Context<object>, 'tx'>,
  arrivals: Arrival[],
): Promise<(StoreOutcome | Error)[]> {
  return ctx.tx(async (em) => {
    const owners = await bindTokens(
      em,
      arrivals.map(({ tokenHash, facts }) => ({ tokenHash, providerEventId: facts.providerEventId })),
    )
    const allowed = new Set(
      arrivals.filter(({ tokenHash, facts }) => owners.get(tokenHash.toString('hex')) === facts.providerEventId),
    )

    const candidates = new Map<string, StoredEvent>()
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
    const added = new Set(await insertNew(em, [...candidates.values()]))
    const repeated = [...candidates.values()].filter((candidate) => !added.has(candidate.id))
    const stored = new Map((await findStored(em, repeated)).map((event) => [keyOf(event), event]))

    await announce(
      em,
      [...allowed],
      [...candidates.values()].filter((candidate) => added.has(candidate.id)),
    )

    const contradicted: { id: string; origin: EventOrigin; arrival: Arrival }[] = []
    const answered = new Set<string>()
    const outcomes = arrivals.map((arrival): StoreOutcome | Error => {
      const key = keyOf({ connectionId: arrival.connectionId, providerEventId: arrival.facts.providerEventId })
      const candidate = candidates.get(key)
      if (candidate === undefined || !allowed.has(arrival)) return tokenUsed()
      const original = stored.get(key) ?? candidate
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

async function announce(em: Em, arrivals: Arrival[], events: StoredEvent[]): Promise<void> {
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

/** The provider promises unique ids for one day only, so an id that arrives again with different content raises an alert. */
async function alertContradictions(
  em: Em,
  contradicted: { id: string; origin: EventOrigin; arrival: Arrival }[],
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
