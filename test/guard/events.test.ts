import { expect, test } from '@jest/globals'
import { basename, join } from 'node:path'
import type { Consumer } from '@lettergate/events'
import type { Durable } from '@lettergate/events/broker-users'
import { eventName, eventSubject } from '@lettergate/events/message'
import { wakeSubject } from '@lettergate/events/wake-workers'
import { serverConfigFile } from '@lettergate/nats/server-config'
import { services as brokerUsers } from '@lettergate/nats/users'
import { filesBelow, read, root, services, sourcesOf } from './tree.ts'

const protos = filesBelow('proto/lettergate/events')
  .filter((path) => path.endsWith('.proto'))
  .map(read)
  .join('\n')
const messages = [...protos.matchAll(/^message (\w+) \{([^}]*)\}/gm)].map(([, name, body]) => ({
  name: name!,
  body: body!,
}))

/** Without messages that are only a field of another message; those are not events. */
const events = messages
  .filter(({ name }) => !messages.some(({ body }) => new RegExp(`^\\s*(repeated |optional )?${name} `, 'm').test(body)))
  .map(({ name }) => name)

const sources = new Map(
  services.map((service) => [
    service,
    sourcesOf(`services/${service}`)
      .concat(sourcesOf('libs/events'))
      .map((path) => ({ path, text: read(path) })),
  ]),
)

const isConsumer = (path: string) => basename(path).startsWith('on-')

/** `publish(em, XSchema, …)` and its variants for many rows, or the wake-up message that a worker publishes itself. */
const publishersOf = (event: string): string[] =>
  services.filter((service) =>
    sources
      .get(service)!
      .some(({ path, text }) =>
        !isConsumer(path) || /publish/.test(text)
          ? new RegExp(
              `\\bpublish(All|From|Wake\\w*)?\\(\\s*\\w+,\\s*${event}Schema|\\b(toBinary|create)\\(\\s*${event}Schema`,
            ).test(text)
          : false,
      ),
  )

test('events are found', () => expect(events.length).toBeGreaterThan(10))

test.each(events)('%s is announced by somebody', (event) => {
  expect({ event, announced: publishersOf(event).length > 0 }).toEqual({ event, announced: true })
})

interface Subscription {
  path: string
  event: string
  from: string
}

const subscriptions: Subscription[] = services.flatMap((service) =>
  sourcesOf(`services/${service}`)
    .filter((path) => isConsumer(path) || /\bconsumer\(/.test(read(path)))
    .flatMap((path) => {
      const text = read(path)
      const event = /\bevent: (\w+)Schema\b/.exec(text)?.[1]
      const from = /\bfrom: '([^']+)'/.exec(text)?.[1]
      return event && from ? [{ path, event, from }] : []
    }),
)

test('every event that a service consumes is published by its source', () => {
  for (const { path, event, from } of subscriptions) {
    const isPublished = from === '*' ? publishersOf(event).length > 0 : publishersOf(event).includes(from)
    expect({ path, event, from, isPublished }).toEqual({ path, event, from, isPublished: true })
  }
})

test('a consumer is named after its event', () => {
  for (const { path, event } of subscriptions) {
    const name = `on${event.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
    expect({ path, named: basename(path) === `${name}.ts` }).toEqual({ path, named: true })
  }
})

const byFileName = (one: string, other: string) => (basename(one) < basename(other) ? -1 : 1)

/** The subjects that a service hears without a consumer. */
async function changesHeard(service: string): Promise<string[]> {
  const path = sourcesOf(`services/${service}`).find((one) => basename(one) === 'on-gate-changed.ts')
  return path ? ((await import(join(root, path))) as { changeSubjects: string[] }).changeSubjects : []
}

/** The broker subjects that the code of a service uses, besides publishing its own events. */
async function rightsNeeded(service: string) {
  const consumes = []
  // Found by name, in any folder.
  for (const path of sourcesOf(`services/${service}`).toSorted(byFileName)) {
    if (!/\bconsumer\(/.test(read(path))) continue
    const declared = Object.values((await import(join(root, path))) as Record<string, Partial<Consumer<never, never>>>)
    for (const { name, from, event, handle } of declared) {
      if (name === undefined || from === undefined || event === undefined || handle === undefined) continue
      consumes.push({ stream: 'EVENTS', name: `${service}__${name}`, filter: eventSubject(from, eventName(event)) })
    }
  }
  const isWoken = sourcesOf(`services/${service}`).some((path) => /\bwakeWorkers\(bus/.test(read(path)))
  const wake = isWoken ? [wakeSubject(service)] : []
  const subscribes = [...(await changesHeard(service)), ...wake]
  if (service !== 'campaigns-delivery') return { publishes: wake, subscribes, consumes }
  const queue = join(root, 'services/campaigns-delivery/src/delivery/queue.ts')
  const { deliveryDurable } = (await import(queue)) as { deliveryDurable: Durable }
  return { publishes: [deliveryDurable.filter, ...wake], subscribes, consumes: [deliveryDurable, ...consumes] }
}

test('each service has exactly the broker permissions that its code needs', async () => {
  expect(Object.keys(brokerUsers)).toEqual(services.toSorted())
  for (const service of services) {
    const { publishes = [], subscribes = [], consumes = [] } = brokerUsers[service]!
    expect({ service, publishes, subscribes, consumes }).toEqual({ service, ...(await rightsNeeded(service)) })
  }
})

test('services use the broker directly in three known places only, besides consumers, the outbox and the wake-up of workers', () => {
  const beside = services
    .flatMap((service) => sourcesOf(`services/${service}`))
    .filter((path) => /\bbus\.(js|jsm|connection)\b|^import (?!type).*'@nats-io\//m.test(read(path)))
  expect(beside).toEqual([
    'services/automations/src/gates/on-gate-changed.ts',
    'services/campaigns-delivery/src/delivery/queue.ts',
    'services/campaigns-delivery/src/gates/on-gate-changed.ts',
  ])
})

test('the configuration file of the broker is generated from its table of users', () => {
  expect(read('deploy/nats/nats-server.conf')).toBe(serverConfigFile())
})

test('every audit action has the same form: object and verb', () => {
  const actions = services.flatMap((service) =>
    sources
      .get(service)!
      .flatMap(({ path, text }) => [...text.matchAll(/\baction: '([^']*)'/g)].map(([, action]) => `${path} ${action}`)),
  )
  expect(actions.length).toBeGreaterThan(10)
  expect(actions.filter((action) => !/ [a-z]+(_[a-z]+)*_([a-z]+ed|set|resent)$/.test(action))).toEqual([])
})
