import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { askedBy, listedIn, sectionFor } from './operation-lists.ts'
import { answeredBy, filesBelow, read, root, rpcs, services } from './tree.ts'

test('a list is read with the section and the folder of each operation', () => {
  const list = `import { createTag } from './tags/create-tag.ts'
import { matchTags } from './old-tags/match-tags.ts'

export const operations = {
  // tags
  createTag,

  // old tags, asked by imports
  matchTags,
} satisfies Operations
`
  expect(listedIn(list)).toEqual([
    { name: 'createTag', folder: 'tags', section: 'tags' },
    { name: 'matchTags', folder: 'old-tags', section: 'old tags, asked by imports' },
  ])
  expect(listedIn(list).map((one) => sectionFor(one, 'asked by imports'))).toEqual([
    'tags, asked by imports',
    'old tags, asked by imports',
  ])
})

test('who asks is told from the routes, the preconditions and the callers that an rpc declares', () => {
  const of = (name: string, callers: string[]) => askedBy({ service: 'CampaignsDelivery', name, callers })
  expect(of('ScheduleCampaign', ['gateway'])).toBeUndefined()
  expect(of('RequireAudienceUnused', ['gateway'])).toBe('asked before a deletion')
  expect(of('NoRoute', ['gateway'])).toBe('asked by the gateway itself')
  expect(of('NoRoute', ['webhook-intake', 'gateway', 'imports'])).toBe('asked by imports and webhook-intake')
})

const listed = services.flatMap((service) => {
  const path = ['src/operations.ts', 'src/operations/index.ts'].find((file) =>
    existsSync(join(root, 'services', service, file)),
  )
  return listedIn(read(`services/${service}/${path}`)).map((one) => ({ service, ...one }))
})

test('every rpc stands in the list of its service, under its feature and marked with who asks when no route does', () => {
  const marked = listed.map((one) => ({ service: one.service, name: one.name, section: one.section }))
  const right = rpcs()
    .filter(({ service }) => answeredBy[service] !== undefined)
    .map((rpc) => {
      const service = answeredBy[rpc.service]!
      const one = listed.find((item) => item.service === service && item.name === rpc.localName)
      return { service, name: rpc.localName, section: one && sectionFor(one, askedBy(rpc)) }
    })
  const inOrder = (items: typeof right) =>
    items.toSorted((a, b) => (`${a.service} ${a.name}` < `${b.service} ${b.name}` ? -1 : 1))
  expect(inOrder(marked)).toEqual(inOrder(right))
})

test('what a list calls asked before a deletion is a precondition of deletions alone', () => {
  const operations = filesBelow('services/gateway/openapi').flatMap((path) => [
    ...read(path).matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm),
  ])
  const asking = operations
    .filter(([, , operation]) => operation!.includes('x-preconditions:'))
    .map(([, method]) => method!)
  expect(asking.length).toBeGreaterThan(0)
  expect([...new Set(asking)]).toEqual(['delete'])
})
