import { expect, test } from '@jest/globals'
import { answeredBy, read, rpcs, services, sourcesOf, filesBelow } from './tree.ts'

/** Who may ask whom, over proto services. The gateway stands twice: its edge asks all, its Identity asks nobody. */
const allowed: Record<string, readonly string[]> = {
  edge: Object.keys(answeredBy),
  Identity: [],
  ContactsConsent: [],
  SendingInfra: ['Identity'],
  CampaignsDelivery: ['ContactsConsent', 'SendingInfra', 'Identity'],
  Imports: ['ContactsConsent', 'Identity'],
  Automations: ['ContactsConsent', 'CampaignsDelivery', 'Identity'],
  WebhookIntake: ['SendingInfra', 'Identity'],
}

const protoServiceOf = (service: string) => Object.keys(answeredBy).find((proto) => answeredBy[proto] === service)!

/** `connect(service, config.xTarget, X)` is the only way to another service. */
function callsOf(service: string): string[] {
  const text = sourcesOf(`services/${service}`).map(read).join('\n')
  const connected = [...text.matchAll(/\bconnect\(\s*[\w.]+,\s*[^,()]+,\s*(\w+)/g)].map(([, target]) => target!)
  return [...new Set(connected)]
}

test('a service asks only those that the architecture lets it ask', () => {
  for (const service of services.filter((name) => name !== 'gateway')) {
    const from = protoServiceOf(service)
    for (const target of callsOf(service))
      expect({ from, target, allowed: allowed[from]!.includes(target) }).toEqual({ from, target, allowed: true })
  }
})

test('the calls between proto services form no circle', () => {
  const edges = new Map(
    services.filter((name) => name !== 'gateway').map((service) => [protoServiceOf(service), callsOf(service)]),
  )
  const walk = (at: string, path: readonly string[]): void => {
    expect({ circle: path.includes(at) ? [...path, at] : [] }).toEqual({ circle: [] })
    for (const next of edges.get(at) ?? []) walk(next, [...path, at])
  }
  for (const from of edges.keys()) walk(from, [])
})

test('every proto service that has an rpc is answered by a service', () => {
  for (const { service, name } of rpcs())
    expect({ name, known: answeredBy[service] !== undefined }).toEqual({ name, known: true })
})

test.each(rpcs().map((rpc) => [`${rpc.service}.${rpc.name}`, rpc] as const))(
  '%s has an operation of its own and a test that calls it',
  (_, { service, localName }) => {
    const folder = `services/${answeredBy[service]}`
    const file = `${localName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`
    const operations = sourcesOf(folder).filter((path) => path.endsWith(`/${file}`))
    expect(operations).toHaveLength(1)
    expect(read(operations[0]!)).toMatch(
      new RegExp(`export (async )?(function\\*? ${localName}\\b|const ${localName}\\b)`),
    )
    const tests = [...filesBelow(folder), ...filesBelow('test/e2e')].filter((path) => path.endsWith('.test.ts'))
    const calling = tests.filter((path) => read(path).includes(`${localName}(`))
    expect({ rpc: localName, tested: calling.length > 0 }).toEqual({ rpc: localName, tested: true })
  },
)
