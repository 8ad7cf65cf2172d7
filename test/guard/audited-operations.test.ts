import { expect, test } from '@jest/globals'
import { basename } from 'node:path'
import { importsOfFiles } from './imports.ts'
import { filesBelow, kebab, read, rpcs } from './tree.ts'

/** Operations without an entry of the audit log, each with the record that it writes instead (ADR 68). */
const otherRecords: Record<string, string> = {
  upsertContact: 'provenance, with actor, kind of actor and correlation id, for each call',
  ingestSubscriptionEvent: 'a receipt and a consent event for each sign-up',
  receiveProviderEvent: 'a provider event, once for each event id',
  scheduleCampaign:
    'campaign_scheduled with the user who asked, in the transaction of the worker that commits the run: before it there is no run',
  createPreferenceToken: 'none: a link is signed, and nothing is stored',
}

interface Operation {
  name: string
  rpc: string | undefined
  /** of an operation without an rpc */
  handler: string | undefined
}

/** The operations of both OpenAPI documents that may change something. */
const mutating: Operation[] = filesBelow('services/gateway/openapi').flatMap((document) =>
  [...read(document).matchAll(/^ {2}(post|put|patch|delete):\n((?: {4}.*\n)+)/gm)].flatMap(([, , body]) => {
    const name = /^ {4}operationId: (\w+)$/m.exec(body!)?.[1]
    const rpc = /^ {4}x-rpc: \S+\/(\w+)$/m.exec(body!)?.[1]
    const handler = /^ {4}x-handler: (\w+)$/m.exec(body!)?.[1]
    return name === undefined ? [] : [{ name, rpc, handler }]
  }),
)

const imports = importsOfFiles()
const sources = [...imports.keys()].filter((path) => /^(services|libs)\/[\w-]+\/src\//.test(path))

/** The files that can run in an operation: its own and all that it imports, in its service and in libs. */
function filesOf({ name, rpc, handler }: Operation): string[] {
  // Operations of one handler have one file, with the name of one of them.
  const sharing = mutating.filter((other) => handler !== undefined && other.handler === handler)
  const names = [name, rpc ?? name, ...sharing.map((other) => other.name)].map(kebab)
  const own = sources.filter((path) => names.includes(basename(path, '.ts')))
  const found = new Set(own)
  for (const path of found) for (const next of imports.get(path) ?? []) found.add(next)
  return [...found]
}

/** The actions that the files name, if one of them writes an entry: the second form is of a name that is made of two parts. */
function actionsIn(paths: readonly string[]): string[] {
  const texts = paths.map(read)
  if (!texts.some((text) => text.includes('AuditRecordedSchema'))) return []
  return texts.flatMap((text) => [
    ...[...text.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, action]) => action!),
    ...[...text.matchAll(/action: `([a-z]+_)\$\{/g)].map(([, start]) => start!),
  ])
}

/** The names in brackets in the rows of the pages of operations. */
const documented = new Map(
  filesBelow('docs').flatMap((page) =>
    [...read(page).matchAll(/^\| ([\w, ]+) \| .*? \| (.+) \|$/gm)].flatMap(([, names, effect]) =>
      names!
        .split(', ')
        .map((name) => [name, [...effect!.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, one]) => one!)] as const),
    ),
  ),
)

test('operations that change something are found, and each has an rpc or a handler', () => {
  const names = new Set(rpcs().map(({ name }) => name))
  expect(mutating.length).toBeGreaterThan(70)
  const without = mutating.filter(({ rpc, handler }) => handler === undefined && (rpc === undefined || !names.has(rpc)))
  expect(without).toEqual([])
})

test('every operation that changes something records an action, which the documentation names, or has another record', () => {
  const without = mutating.filter((operation) => {
    if (operation.name in otherRecords) return false
    const recorded = actionsIn(filesOf(operation))
    const named = documented.get(operation.name) ?? []
    return !named.some((action) =>
      recorded.some((one) => one === action || (one.endsWith('_') && action.startsWith(one))),
    )
  })
  expect(without.map(({ name }) => name)).toEqual([])
})

test('the list of other records names existing operations only', () => {
  const names = new Set(mutating.map(({ name }) => name))
  expect(Object.keys(otherRecords).filter((name) => !names.has(name))).toEqual([])
})
