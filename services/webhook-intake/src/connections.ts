import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { tooMany, type RateLimit } from '@lettergate/http/rate-limit'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'
import { parseUuid } from '@lettergate/values/uuid'

/** The tenant of a webhook URL, and the name of its signing key. */
export interface Connection {
  id: string
  workspaceId: string
  signingKeyName: string | null
}

export interface Connections {
  /**
   * The connection of an id, or undefined. Throws Fault `unavailable` when the lookup fails, and 429 when this client address
   * has sent too many ids of unknown connections. The address is read only for an id of which no connection is
   * known.
   */
  find(id: string, addressOf: () => string, correlationId: string): Promise<Connection | undefined>
}

// The provider waits longer than a user would, and retries much later.
const lookupTimeoutMs = 5_000
const foundMs = 10_000
const missingMs = 3_000
const entriesMax = 10_000
/** Concurrent lookups of ids that never were a connection, and the number of lookups that may wait. */
const unknownConcurrency = 2
const waitingMax = 200

interface Entry {
  until: number
  connection: Promise<Connection | undefined>
}

/** The most recently used entries. They expire by the clock of the service. */
const recentEntries = () => new LRUCache<string, Entry>({ max: entriesMax })

/**
 * Looks connections up in sending-infra, and caches the result for 10 s (3 s for an unknown id), at most 10,000 ids of each
 * kind. Concurrent requests with one id share a lookup. A failure is not cached. An id that was a connection before is always
 * looked up. Of all other ids few are looked up at the same time, and each client address has a limit per minute for ids of
 * unknown connections.
 */
export function openConnections(
  service: Service,
  sending: Client<typeof SendingInfra>,
  unknownLimit: RateLimit,
): Connections {
  const found = recentEntries()
  const others = recentEntries()
  const limitUnknown = semaphore(unknownConcurrency)

  async function ask(id: string, correlationId: string): Promise<Connection | undefined> {
    const scope: CallScope = {
      caller: systemCaller('resolve-connection', correlationId),
      deadline: Infinity,
      signal: new AbortController().signal,
    }
    try {
      const answer = await sending.resolveProviderConnection(
        scope,
        { connectionId: id },
        { timeoutMs: lookupTimeoutMs },
      )
      return { id, workspaceId: answer.workspaceId, signingKeyName: answer.webhookSigningEnvKey ?? null }
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return undefined
      throw error
    }
  }

  function keep(entries: typeof found, id: string, connection: Promise<Connection | undefined>) {
    const entry: Entry = { until: Infinity, connection }
    entries.set(id, entry)
    connection.then(
      (answer) => {
        entry.until = service.now().getTime() + (answer ? foundMs : missingMs)
        const [to, from] = answer ? [found, others] : [others, found]
        from.delete(id)
        to.set(id, entry)
      },
      () => others.delete(id),
    )
    return connection
  }

  const fresh = (entry: Entry | undefined) => entry !== undefined && entry.until > service.now().getTime()

  /** Counts before the lookup; the id of a known connection is uncounted afterwards. */
  async function findUnknown(id: string, address: string, correlationId: string) {
    const wait = await unknownLimit.over(address)
    if (wait !== null) throw tooMany(wait, 'rate_limit_unknown_connections')
    const before = others.get(id)
    const asking = fresh(before)
      ? before!.connection
      : keep(
          others,
          id,
          limitUnknown(() => ask(id, correlationId)),
        )
    let isMissing = false
    try {
      const answer = await asking
      isMissing = answer === undefined
      return answer
    } finally {
      if (!isMissing) await unknownLimit.giveBack(address)
    }
  }

  return {
    async find(given, addressOf, correlationId) {
      const id = parseUuid(given)
      if (id === undefined) return undefined
      const known = found.get(id)
      if (known) return fresh(known) ? known.connection : refresh(id, known, correlationId)
      const other = others.get(id)
      return fresh(other) ? other!.connection : findUnknown(id, addressOf(), correlationId)
    },
  }

  /** After a failure the id is still known to be a connection. */
  function refresh(id: string, known: Entry, correlationId: string): Promise<Connection | undefined> {
    const connection = keep(found, id, ask(id, correlationId))
    connection.catch(() => found.set(id, { ...known, until: 0 }))
    return connection
  }
}

/** Runs `work` with limited concurrency. The rest waits; when too many wait, it throws Fault `unavailable`. */
function semaphore(concurrency: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= concurrency) {
      if (waiting.length >= waitingMax)
        throw new Fault(
          'unavailable',
          'connection_lookups',
          'Too many webhook addresses are looked up at the moment. Send this event again later.',
        )
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
