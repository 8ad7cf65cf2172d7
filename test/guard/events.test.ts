import { expect, test } from '@jest/globals'
import { basename, join } from 'node:path'
import type { Consumer } from '@lettergate/events'
import type { Durable } from '@lettergate/events/broker-users'
import { eventName, eventSubject } from '@lettergate/events/message'
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

/** Messages that are only a part of another one are no events. */
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

/** `publish(em, XSchema, …)` and its set-based kin, or the wake-up that a worker puts on the queue itself. */
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

test('there are events to speak of', () => expect(events.length).toBeGreaterThan(10))

test.each(events)('%s is announced by somebody', (event) => {
  expect({ event, announced: publishersOf(event).length > 0 }).toEqual({ event, announced: true })
})

interface Heard {
  path: string
  event: string
  from: string
}

const heard: Heard[] = services.flatMap((service) =>
  sourcesOf(`services/${service}`)
    .filter((path) => isConsumer(path) || /\bconsumer\(/.test(read(path)))
    .flatMap((path) => {
      const text = read(path)
      const event = /\bevent: (\w+)Schema\b/.exec(text)?.[1]
      const from = /\bfrom: '([^']+)'/.exec(text)?.[1]
      return event && from ? [{ path, event, from }] : []
    }),
)

test('whoever listens to one service hears what that service does announce', () => {
  for (const { path, event, from } of heard) {
    const heardFrom = from === '*' ? publishersOf(event).length > 0 : publishersOf(event).includes(from)
    expect({ path, event, from, heardFrom }).toEqual({ path, event, from, heardFrom: true })
  }
})

test('a consumer is named after what it hears', () => {
  for (const { path, event } of heard) {
    const name = `on${event.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    expect({ path, named: basename(path) === `${name}.ts` }).toEqual({ path, named: true })
  }
})

const byFileName = (one: string, other: string) => (basename(one) < basename(other) ? -1 : 1)

/** What the code of a service does at the broker besides publishing its own events. */
async function rightsNeeded(service: string) {
  const consumes = []
  // By their names, whatever folder they are in.
  for (const path of sourcesOf(`services/${service}`).toSorted(byFileName)) {
    if (!/\bconsumer\(/.test(read(path))) continue
    const declared = Object.values((await import(join(root, path))) as Record<string, Partial<Consumer<never, never>>>)
    for (const { name, from, event, handle } of declared) {
      if (name === undefined || from === undefined || event === undefined || handle === undefined) continue
      consumes.push({ stream: 'EVENTS', name: `${service}__${name}`, filter: eventSubject(from, eventName(event)) })
    }
  }
  if (service !== 'campaigns-delivery') return { publishes: [], subscribes: [], consumes }
  const source = join(root, 'services/campaigns-delivery/src')
  const { deliveryDurable } = (await import(`${source}/delivery/queue.ts`)) as { deliveryDurable: Durable }
  const { changeSubjects } = (await import(`${source}/gates/on-gate-changed.ts`)) as { changeSubjects: string[] }
  const { wakeSubject } = (await import(`${source}/wake-workers.ts`)) as { wakeSubject: string }
  return {
    publishes: [deliveryDurable.filter, wakeSubject],
    subscribes: [...changeSubjects, wakeSubject],
    consumes: [deliveryDurable, ...consumes],
  }
}

test('the broker lets each service do what its code does, and nothing more', async () => {
  expect(Object.keys(brokerUsers)).toEqual(services.toSorted())
  for (const service of services) {
    const { publishes = [], subscribes = [], consumes = [] } = brokerUsers[service]!
    expect({ service, publishes, subscribes, consumes }).toEqual({ service, ...(await rightsNeeded(service)) })
  }
})

test('services use the broker beside consumers and the outbox in three places, whose rights are known', () => {
  const beside = services
    .flatMap((service) => sourcesOf(`services/${service}`))
    .filter((path) => /\bbus\.(js|jsm|connection)\b|^import (?!type).*'@nats-io\//m.test(read(path)))
  expect(beside).toEqual([
    'services/campaigns-delivery/src/delivery/queue.ts',
    'services/campaigns-delivery/src/gates/on-gate-changed.ts',
    'services/campaigns-delivery/src/wake-workers.ts',
  ])
})

test('the configuration file of the broker is the one that its table of users makes', () => {
  expect(read('deploy/nats/nats-server.conf')).toBe(serverConfigFile())
})

test('an audit record says what was done to what, in one form of words', () => {
  const actions = services.flatMap((service) =>
    sources
      .get(service)!
      .flatMap(({ path, text }) => [...text.matchAll(/\baction: '([^']*)'/g)].map(([, action]) => `${path} ${action}`)),
  )
  expect(actions.length).toBeGreaterThan(10)
  expect(actions.filter((action) => !/ [a-z]+(_[a-z]+)*_([a-z]+ed|set|resent)$/.test(action))).toEqual([])
})
