import { JetStreamApiError, RetentionPolicy, type StreamConfig } from '@nats-io/jetstream'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Bus } from './bus.ts'

const dayNs = 24 * 3600 * 1e9
const notFound = 10059
const checkEveryMs = 1_000

/**
 * The server sends its answer to whatever subject a user names, also to those of its own API, and takes the acknowledgement
 * of an event for a request to purge. So it refuses such requests, whoever they come from; it does not let that be taken back.
 * Messages go with their age or with their acknowledgement.
 */
const onlyTheServerRemoves = { deny_purge: true, deny_delete: true }

/** Every stream there is: its name, and how it is kept on the server. */
const configs = (bus: Bus): (Partial<StreamConfig> & { name: string })[] => [
  {
    name: bus.stream('EVENTS'),
    subjects: [bus.subject('events.>')],
    retention: RetentionPolicy.Limits,
    max_age: 7 * dayNs,
    duplicate_window: 120e9,
    ...onlyTheServerRemoves,
  },
  {
    name: bus.stream('DELIVERY'),
    subjects: [bus.subject('delivery.>')],
    retention: RetentionPolicy.Workqueue,
    ...onlyTheServerRemoves,
  },
]

export const streamNames = ['EVENTS', 'DELIVERY']

/**
 * Makes the streams, brings their configuration up to date, and makes them again within a second when the server lost them.
 * Services cannot do that themselves: who may configure a stream can copy its messages anywhere. Returns once all are there.
 */
export async function keepStreams(service: Service, bus: Bus): Promise<Part> {
  const ensureAll = async () => {
    await Promise.all(configs(bus).map((config) => ensure(bus, service, config)))
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
    service.log.info({ stream: wanted.name }, 'a stream was made')
  }
}
