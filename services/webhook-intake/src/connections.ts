import { Fault } from '@lettergate/fault'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Client } from '@lettergate/rpc'
import { systemCaller, type CallScope, type Service } from '@lettergate/service'

/** Whose webhook URL it is, and which key signs for it. */
export interface Connection {
  id: string
  workspaceId: string
  signingKeyName: string | null
}

export interface Connections {
  /** The connection behind an id, or undefined. Throws Fault `unavailable` when that cannot be known right now. */
  find(id: string, correlationId: string): Promise<Connection | undefined>
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
// The provider waits longer than a person would, and sends again much later.
const askMs = 5_000
const foundMs = 10_000
const missingMs = 3_000
const entriesMax = 10_000

interface Entry {
  until: number
  connection: Promise<Connection | undefined>
}

/**
 * Asks sending-infra, and remembers the answer for 10 s (3 s when there is no such connection) for at most 10,000 ids;
 * those not asked for longest are forgotten first. Requests that arrive together ask once. A failure is not remembered.
 */
export function openConnections(service: Service, sending: Client<typeof SendingInfra>): Connections {
  const entries = new Map<string, Entry>()

  async function ask(id: string, correlationId: string): Promise<Connection | undefined> {
    const scope: CallScope = {
      caller: systemCaller('resolve-connection', correlationId),
      deadline: Infinity,
      signal: new AbortController().signal,
    }
    try {
      const found = await sending.resolveProviderConnection(scope, { connectionId: id }, { timeoutMs: askMs })
      return { id, workspaceId: found.workspaceId, signingKeyName: found.webhookSigningEnvKey ?? null }
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return undefined
      throw error
    }
  }

  function keep(id: string, connection: Promise<Connection | undefined>): void {
    const entry: Entry = { until: Infinity, connection }
    entries.set(id, entry)
    connection.then(
      (found) => (entry.until = service.now().getTime() + (found ? foundMs : missingMs)),
      () => {
        if (entries.get(id) === entry) entries.delete(id)
      },
    )
    if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
  }

  return {
    find(id, correlationId) {
      if (!uuid.test(id)) return Promise.resolve(undefined)
      const known = entries.get(id)
      if (known && known.until > service.now().getTime()) {
        // Moved to the young end.
        entries.delete(id)
        entries.set(id, known)
        return known.connection
      }
      const connection = ask(id, correlationId)
      entries.delete(id)
      keep(id, connection)
      return connection
    },
  }
}
