import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { tooMany, type RateLimit } from '@lettergate/http/rate-limit'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'
import { parseUuid } from '@lettergate/values/uuid'

/** Whose webhook URL it is, and which key signs for it. */
export interface Connection {
  id: string
  workspaceId: string
  signingKeyName: string | null
}

export interface Connections {
  /**
   * The connection behind an id, or undefined. Throws Fault `unavailable` when that cannot be known right now, and 429
   * when this client address has asked for too many ids that name nothing.
   */
  find(id: string, address: string, correlationId: string): Promise<Connection | undefined>
}

// The provider waits longer than a person would, and sends again much later.
const askMs = 5_000
const foundMs = 10_000
const missingMs = 3_000
const entriesMax = 10_000
/** So many ids that never named a connection are asked about at once, and so many more wait for that. */
const unknownAtOnce = 2
const waitingMax = 200

interface Entry {
  until: number
  connection: Promise<Connection | undefined>
}

/** The entries that were asked for last, at most so many. Their ends are by the service's clock. */
const recentEntries = () => new LRUCache<string, Entry>({ max: entriesMax })

/**
 * Asks sending-infra, and remembers the answer for 10 s (3 s when there is no such connection) for at most 10,000 ids of
 * either kind. Requests that arrive together ask once. A failure is not remembered. An id that named a connection before
 * is asked about whatever others do; of all others few are asked about at once, and each client address has so many a
 * minute that name nothing.
 */
export function openConnections(
  service: Service,
  sending: Client<typeof SendingInfra>,
  unknownLimit: RateLimit,
): Connections {
  const found = recentEntries()
  const others = recentEntries()
  const takeTurn = turns(unknownAtOnce)

  async function ask(id: string, correlationId: string): Promise<Connection | undefined> {
    const scope: CallScope = {
      caller: systemCaller('resolve-connection', correlationId),
      deadline: Infinity,
      signal: new AbortController().signal,
    }
    try {
      const answer = await sending.resolveProviderConnection(scope, { connectionId: id }, { timeoutMs: askMs })
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

  /** Counted before anything is asked; what turns out to be a connection costs its address nothing. */
  async function findUnknown(id: string, address: string, correlationId: string) {
    const wait = await unknownLimit.over(address)
    if (wait !== null) throw tooMany(wait, 'rate_limit_unknown_connections')
    const before = others.get(id)
    const asking = fresh(before)
      ? before!.connection
      : keep(
          others,
          id,
          takeTurn(() => ask(id, correlationId)),
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
    async find(given, address, correlationId) {
      const id = parseUuid(given)
      if (id === undefined) return undefined
      const known = found.get(id)
      if (known) return fresh(known) ? known.connection : askAgain(id, known, correlationId)
      const other = others.get(id)
      return fresh(other) ? other!.connection : findUnknown(id, address, correlationId)
    },
  }

  /** A failure leaves what is known of the id: that it names a connection. */
  function askAgain(id: string, known: Entry, correlationId: string): Promise<Connection | undefined> {
    const connection = keep(found, id, ask(id, correlationId))
    connection.catch(() => found.set(id, { ...known, until: 0 }))
    return connection
  }
}

/** Runs so much work at once; the rest waits, and what would wait behind too many is Fault `unavailable`. */
function turns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) {
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
