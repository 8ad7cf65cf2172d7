import { randomUUID } from 'node:crypto'
import { WebhookTalliedSchema } from '@lettergate/contracts/events/v1/events'
import { contexts, type Context, type Database } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { repeat, systemCaller, type Part, type Service } from '@lettergate/service'
import type { Connection } from './connections.ts'

/** The events of one connection that were not stored. */
export interface Tally {
  signatureFailures: number
  /** repeated signed events, by their test send */
  repeated: Map<string, number>
}

/**
 * Counts refused signatures and repeated events, for rehearsals. The counts are in memory and published about once a second, so
 * any number of forged requests costs one event for each connection and second. A process that dies loses the last second.
 */
export interface Tallies extends Part {
  signatureFailed(connection: Connection): void
  /** Repeats of events without a test send are not counted. */
  repeated(connection: Connection, testSendId: string | undefined): void
}

const withinMs = 1_000
const inAnyCaseMs = 60_000
const connectionsMax = 10_000
const testSendsMax = 1_000

/** Starts the tallies; stopping publishes the last counts. */
export function openTallies(
  service: Service,
  announce: (connection: Connection, tally: Tally) => Promise<void>,
): Tallies {
  let counted = new Map<string, { connection: Connection; tally: Tally }>()

  function tallyOf(connection: Connection): Tally | undefined {
    const known = counted.get(connection.id)
    if (known) return known.tally
    if (counted.size >= connectionsMax) return undefined
    const tally: Tally = { signatureFailures: 0, repeated: new Map() }
    counted.set(connection.id, { connection, tally })
    announcing.wakeWithin(withinMs)
    return tally
  }

  async function announceAll(): Promise<void> {
    const due = [...counted.values()]
    counted = new Map()
    for (const { connection, tally } of due) {
      try {
        await announce(connection, tally)
      } catch (error) {
        service.log.warn(
          { err: error, connection_id: connection.id },
          'a tally could not be published and is kept for the next time',
        )
        addBack(connection, tally)
      }
    }
  }

  function addBack(connection: Connection, { signatureFailures, repeated }: Tally): void {
    const tally = tallyOf(connection)
    if (!tally) return
    tally.signatureFailures += signatureFailures
    for (const [id, count] of repeated) tally.repeated.set(id, (tally.repeated.get(id) ?? 0) + count)
  }

  const announcing = repeat(service, 'announce-tallies', inAnyCaseMs, announceAll)
  return {
    signatureFailed(connection) {
      const tally = tallyOf(connection)
      if (tally) tally.signatureFailures += 1
    },
    repeated(connection, testSendId) {
      if (testSendId === undefined) return
      const tally = tallyOf(connection)
      const known = tally?.repeated.get(testSendId)
      if (tally && (known !== undefined || tally.repeated.size < testSendsMax))
        tally.repeated.set(testSendId, (known ?? 0) + 1)
    },
    async stop() {
      await announcing.stop()
      await announceAll()
    },
  }
}

/** Publishes tallies through the outbox, each in the workspace of its connection. */
export const talliesOf = (service: Service, db: Database): Tallies => {
  const { ofCall } = contexts(db, service, {})
  const ctxOf = ({ workspaceId }: Connection): Context<object> =>
    ofCall({
      caller: { ...systemCaller('announce-tallies', randomUUID()), workspaceId },
      deadline: Infinity,
      signal: new AbortController().signal,
    })
  return openTallies(service, (connection, { signatureFailures, repeated }) =>
    ctxOf(connection).tx((em) =>
      publish(em, WebhookTalliedSchema, {
        connectionId: connection.id,
        signatureFailures,
        repeatedTestEvents: Array.from(repeated, ([testSendId, count]) => ({ testSendId, count })),
      }),
    ),
  )
}
