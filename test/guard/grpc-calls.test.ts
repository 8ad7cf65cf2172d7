import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { answeredBy, filesBelow, folderOf, kebab, read, root, rpcs, services, sourcesOf, type Rpc } from './tree.ts'

/** `connect(service, config.xTarget, X)` is the only way to another service. */
function connectedTo(service: string): string[] {
  const text = sourcesOf(`services/${service}`).map(read).join('\n')
  const connected = [...text.matchAll(/\bconnect\(\s*[\w.]+,\s*[^,()]+,\s*(\w+)/g)].map(([, target]) => target!)
  return [...new Set(connected)]
}

const fullNames = (text: string) =>
  [...text.matchAll(/lettergate\.\w+\.v1\.(\w+)\/(\w+)/g)].map((found) => found.slice(1, 3))

/** `Service/Rpc` of every rpc that this deployable's code calls, and of those that the gateway's documents name. */
function calledBy(service: string): Set<string> {
  const sources = sourcesOf(`services/${service}`).map(read).join('\n')
  const clients = [...sources.matchAll(/\b(\w+): (?:Pick<)?Client<typeof (\w+)>/g)].map((found) => found.slice(1, 3))
  const documents = service === 'gateway' ? filesBelow('services/gateway/openapi').map(read).join('\n') : ''
  const named = new Set(fullNames(documents).map((parts) => parts.join('/')))
  const isCalled = ({ service: proto, localName }: Rpc) =>
    clients.some(([name, of]) => of === proto && new RegExp(`\\b${name}\\s*\\.${localName}\\b`).test(sources))
  return new Set(
    rpcs()
      .filter((rpc) => named.has(`${rpc.service}/${rpc.name}`) || isCalled(rpc))
      .map((rpc) => `${rpc.service}/${rpc.name}`),
  )
}

test('every rpc declares who calls it: the services whose code or documents do, and nobody else', () => {
  const called = services.map((name) => [name, calledBy(name)] as const)
  const wrong = rpcs().flatMap(({ service, name, callers }) => {
    const declared = callers.toSorted()
    const calling = called.filter(([, names]) => names.has(`${service}/${name}`)).map(([caller]) => caller)
    return JSON.stringify(declared) === JSON.stringify(calling.toSorted()) && calling.length > 0
      ? []
      : [{ rpc: `${service}/${name}`, declared, calling }]
  })
  expect(wrong).toEqual([])
})

/** deployable → the deployables whose rpcs declare it as a caller; a call inside the gateway is not one. */
const askedBy = (service: string): string[] =>
  [...new Set(rpcs().flatMap((rpc) => (rpc.callers.includes(service) ? [answeredBy[rpc.service]!] : [])))]
    .filter((name) => name !== service)
    .toSorted()

test('the page of the architecture shows who asks whom as the rpcs declare it', () => {
  const rows = [...read('docs/architecture.md').matchAll(/^\| ([\w-]+) \| `\w+` \| .* \| (.+) \|$/gm)]
  const shown = Object.fromEntries(rows.map(([, service, asks]) => [service!, asks!]))
  expect(shown['gateway']).toBe('all')
  for (const service of services.filter((name) => name !== 'gateway')) {
    const asks = shown[service]!.split(', ').map((name) => (name === 'identity' ? 'gateway' : name))
    expect([service, asks.filter((name) => name !== 'nobody').toSorted()]).toEqual([service, askedBy(service)])
  }
})

test('a service connects to those that it asks', () => {
  for (const service of services) {
    const connected = connectedTo(service).map((proto) => answeredBy[proto]!)
    const others = Object.values(answeredBy).filter((name) => name !== 'gateway')
    expect([service, connected.toSorted()]).toEqual([
      service,
      (service === 'gateway' ? others : askedBy(service)).toSorted(),
    ])
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
      const file = sourcesOf(`services/${answeredBy[service]}`).find((path) => path.endsWith(`/${kebab(localName)}.ts`))
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

test('every service answers what all of them answer beside their own', () => {
  for (const service of services)
    expect({
      service,
      answers: /beside: (deadLetters\(|own\b)/.test(read(`services/${service}/src/service.ts`)),
    }).toEqual({
      service,
      answers: true,
    })
})

test('every proto service that has an rpc is answered by a service', () => {
  for (const { service, name } of rpcs())
    expect({ name, known: folderOf(service) !== undefined }).toEqual({ name, known: true })
})

test.each(rpcs().map((rpc) => [`${rpc.service}.${rpc.name}`, rpc] as const))(
  '%s has an operation of its own and a test that calls it',
  (_, { service, localName }) => {
    const folder = folderOf(service)!
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
