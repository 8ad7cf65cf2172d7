import { JetStreamApiError, RetentionPolicy, type StreamConfig } from '@nats-io/jetstream'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Bus } from './bus.ts'

const dayNs = 24 * 3600 * 1e9
const notFound = 10059
const checkEveryMs = 2_000

/**
 * The server sends an answer to any reply subject, even to a subject of its own API. So an acknowledgement of an event could
 * reach the API as a purge request. These settings make the server refuse such requests from every user, and they cannot be
 * reverted. Messages are deleted by age or by acknowledgement.
 */
const onlyTheServerRemoves = { deny_purge: true, deny_delete: true }

/** The configuration of every stream. */
const configs = (bus: Bus, replicas: number): (Partial<StreamConfig> & { name: string })[] => [
  {
    name: bus.stream('EVENTS'),
    subjects: [bus.subject('events.>')],
    retention: RetentionPolicy.Limits,
    max_age: 7 * dayNs,
    duplicate_window: 120e9,
    num_replicas: replicas,
    ...onlyTheServerRemoves,
  },
  {
    name: bus.stream('DELIVERY'),
    subjects: [bus.subject('delivery.>')],
    retention: RetentionPolicy.Workqueue,
    num_replicas: replicas,
    ...onlyTheServerRemoves,
  },
]

export const streamNames = ['EVENTS', 'DELIVERY']

/**
 * Creates the streams, updates their configuration, and creates them again within two seconds if the server loses them. Services
 * have no permission for this, because a user that can configure a stream can copy its messages. Returns when all exist.
 * `replicas` is the number of servers that store each message.
 */
export async function keepStreams(service: Service, bus: Bus, replicas = 1): Promise<Part> {
  const ensureAll = async () => {
    await Promise.all(configs(bus, replicas).map((config) => ensure(bus, service, config)))
  }
  await ensureAll()
  return repeat(service, 'keep-streams', checkEveryMs, ensureAll)
}

async function ensure(bus: Bus, service: Service, wanted: Partial<StreamConfig> & { name: string }) {
  try {
    const { config } = await bus.jsm.streams.info(wanted.name)
    const given = config as unknown as Record<string, unknown>
    const differs = Object.entries(wanted).some(([key, value]) => JSON.stringify(given[key]) !== JSON.stringify(value))
    if (!differs) return
    await bus.jsm.streams.update(wanted.name, wanted)
    service.log.info({ stream: wanted.name }, 'the configuration of a stream was brought up to date')
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== notFound) throw error
    await bus.jsm.streams.add(wanted)
    service.log.info({ stream: wanted.name }, 'a stream was created')
  }
}
