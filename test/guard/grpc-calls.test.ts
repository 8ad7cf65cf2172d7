import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { answeredBy, filesBelow, kebab, read, root, rpcs, services, sourcesOf } from './tree.ts'

/** Who may ask whom, over proto services. The gateway's edge asks all; its Identity is looked at rpc by rpc below. */
const allowed: Record<string, readonly string[]> = {
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
  expect(callsOf('gateway').toSorted()).toEqual(
    Object.keys(answeredBy)
      .filter((proto) => proto !== 'Identity')
      .toSorted(),
  )
  for (const service of services.filter((name) => name !== 'gateway')) {
    const from = protoServiceOf(service)
    for (const target of callsOf(service))
      expect({ from, target, allowed: allowed[from]!.includes(target) }).toEqual({ from, target, allowed: true })
  }
})

/** A file and everything of its own service that it reaches by import. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, specifier] of read(path).matchAll(/^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'/gm)) {
    const next = join(dirname(path), specifier!)
    if (existsSync(join(root, next))) reachedFrom(next, seen)
  }
  return seen
}

/** `Service.rpc` → the rpcs of others that carrying it out asks, wherever in the service the question is written. */
function questionsOfRpcs(): Map<string, string[]> {
  const byMethod = new Map(rpcs().map((rpc) => [rpc.localName, rpc.service]))
  return new Map(
    rpcs().map(({ service, localName }) => {
      const file = sourcesOf(`services/${answeredBy[service]}`).find((path) =>
        path.endsWith(`/operations/${kebab(localName)}.ts`),
      )
      const text = file === undefined ? '' : [...reachedFrom(file)].map(read).join('\n')
      const asked = [...text.matchAll(/\.(\w+)\s*\.(\w+)\(/g)]
        .map(([, , method]) => method!)
        .filter((method) => byMethod.has(method) && byMethod.get(method) !== service)
        .map((method) => `${byMethod.get(method)}.${method}`)
      return [`${service}.${localName}`, [...new Set(asked)]]
    }),
  )
}

test('no question leads, over however many services, back to itself', () => {
  const questions = questionsOfRpcs()
  const walk = (at: string, path: readonly string[]): void => {
    expect({ circle: path.includes(at) ? [...path, at] : [] }).toEqual({ circle: [] })
    for (const next of questions.get(at) ?? []) walk(next, [...path, at])
  }
  for (const from of questions.keys()) walk(from, [])
})

test('contacts and identity ask nobody, but for the ready sender that turning a workspace on needs', () => {
  const asking = [...questionsOfRpcs()].filter(
    ([from, asked]) => /^(ContactsConsent|Identity)\./.test(from) && asked.length > 0,
  )
  expect(asking).toEqual([['Identity.activateWorkspaceSending', ['SendingInfra.hasReadySender']]])
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
