import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  answeredBy,
  callingPrograms,
  filesBelow,
  folderOf,
  kebab,
  read,
  root,
  rpcs,
  services,
  sourcesOf,
  type DeclaredRpc,
} from './tree.ts'

/** `connect(service, config.xTarget, X)` is the only way to another service. */
function connectedTo(service: string): string[] {
  const text = sourcesOf(`services/${service}`).map(read).join('\n')
  const connected = [...text.matchAll(/\bconnect\(\s*[\w.]+,\s*[^,()]+,\s*(\w+)/g)].map(([, target]) => target!)
  return [...new Set(connected)]
}

const fullNames = (text: string) =>
  [...text.matchAll(/lettergate\.\w+\.v1\.(\w+)\/(\w+)/g)].map((found) => found.slice(1, 3))

/** `Service/Rpc` of every rpc that the code of this deployable or program calls or, for the gateway, its documents name. */
function calledBy(service: string): Set<string> {
  const sources = sourcesOf(callingPrograms[service] ?? `services/${service}`)
    .map(read)
    .join('\n')
  const clients = [...sources.matchAll(/\b(\w+): (?:Pick<)?Client<typeof (\w+)>/g)].map((found) => found.slice(1, 3))
  const documents = service === 'gateway' ? filesBelow('services/gateway/openapi').map(read).join('\n') : ''
  const named = new Set(fullNames(documents).map((parts) => parts.join('/')))
  const isCalled = ({ service: proto, localName }: DeclaredRpc) =>
    clients.some(([name, of]) => of === proto && new RegExp(`\\b${name}\\s*\\.${localName}\\b`).test(sources))
  return new Set(
    rpcs()
      .filter((rpc) => named.has(`${rpc.service}/${rpc.name}`) || isCalled(rpc))
      .map((rpc) => `${rpc.service}/${rpc.name}`),
  )
}

test('every rpc declares exactly its callers: the services and programs whose code or documents call it', () => {
  const called = [...services, ...Object.keys(callingPrograms)].map((name) => [name, calledBy(name)] as const)
  const wrong = rpcs().flatMap(({ service, name, callers }) => {
    const declared = callers.toSorted()
    const calling = called.filter(([, names]) => names.has(`${service}/${name}`)).map(([caller]) => caller)
    return JSON.stringify(declared) === JSON.stringify(calling.toSorted()) && calling.length > 0
      ? []
      : [{ rpc: `${service}/${name}`, declared, calling }]
  })
  expect(wrong).toEqual([])
})

/** deployable → the deployables whose rpcs declare it as a caller, without calls inside the gateway. */
const askedBy = (service: string): string[] =>
  [...new Set(rpcs().flatMap((rpc) => (rpc.callers.includes(service) ? [answeredBy[rpc.service]!] : [])))]
    .filter((name) => name !== service)
    .toSorted()

test('the architecture page lists the calls between services that the rpcs declare', () => {
  const rows = [...read('docs/architecture.md').matchAll(/^\| ([\w-]+) \| `\w+` \| .* \| (.+) \|$/gm)]
  const shown = Object.fromEntries(rows.map(([, service, asks]) => [service!, asks!]))
  expect(shown['gateway']).toBe('all')
  for (const service of services.filter((name) => name !== 'gateway')) {
    const asks = shown[service]!.split(', ').map((name) => (name === 'identity' ? 'gateway' : name))
    expect([service, asks.filter((name) => name !== 'nobody').toSorted()]).toEqual([service, askedBy(service)])
  }
})

test('a service connects to exactly the services that it calls', () => {
  for (const service of services) {
    const connected = [...new Set(connectedTo(service).map((proto) => answeredBy[proto]!))]
    const others = [...new Set(Object.values(answeredBy))].filter((name) => name !== 'gateway')
    expect([service, connected.toSorted()]).toEqual([
      service,
      (service === 'gateway' ? others : askedBy(service)).toSorted(),
    ])
  }
})

/** A file and all files of its service that it imports, directly or indirectly. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, specifier] of read(path).matchAll(/^(?:import|export) (?!type\b)[^;]*?from '(\.[^']+)'/gm)) {
    const next = join(dirname(path), specifier!)
    if (existsSync(join(root, next))) reachedFrom(next, seen)
  }
  return seen
}

/** `Service.rpc` → the rpcs of other services that its implementation calls, in any file of the service. */
function callsOfRpcs(): Map<string, string[]> {
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

test('no chain of rpc calls leads back to its first rpc', () => {
  const questions = callsOfRpcs()
  const walk = (at: string, path: readonly string[]): void => {
    expect({ circle: path.includes(at) ? [...path, at] : [] }).toEqual({ circle: [] })
    for (const next of questions.get(at) ?? []) walk(next, [...path, at])
  }
  for (const from of questions.keys()) walk(from, [])
})

test('contacts and identity call no other service, except for the sender check before sending is turned on', () => {
  const calls = [...callsOfRpcs()].filter(
    ([from, asked]) => /^(ContactsConsent|Identity)\./.test(from) && asked.length > 0,
  )
  expect(calls).toEqual([['Identity.activateWorkspaceSending', ['SendingInfra.hasReadySender']]])
})

test('every service implements the rpcs that all services share', () => {
  for (const service of services)
    expect({
      service,
      answers: /additional: (deadLetters\(|own\b)/.test(read(`services/${service}/src/service.ts`)),
    }).toEqual({
      service,
      answers: true,
    })
})

test('every proto service with an rpc has a service that implements it', () => {
  for (const { service, name } of rpcs())
    expect({ name, known: folderOf(service) !== undefined }).toEqual({ name, known: true })
})

test.each(rpcs().map((rpc) => [`${rpc.service}.${rpc.name}`, rpc] as const))(
  '%s has an operation of its own and a test that calls it',
  (_, { service, localName }) => {
    const folder = folderOf(service)!
    const file = `${localName.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}.ts`
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
