import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { askedBy, listedIn, preconditions, sectionFor } from './operation-lists.ts'
import { answeredBy, read, root, rpcs, services } from './tree.ts'

test('a list is read with the section and the folder of each operation', () => {
  const list = `import { createTag } from './tags/create-tag.ts'
import { matchTags } from './old-tags/match-tags.ts'

export const operations = {
  // tags
  createTag,

  // old tags, called by imports
  matchTags,
} satisfies Operations
`
  expect(listedIn(list)).toEqual([
    { name: 'createTag', folder: 'tags', section: 'tags' },
    { name: 'matchTags', folder: 'old-tags', section: 'old tags, called by imports' },
  ])
  expect(listedIn(list).map((one) => sectionFor(one, 'called by imports'))).toEqual([
    'tags, called by imports',
    'old tags, called by imports',
  ])
})

test('the caller in a list comes from the routes, the preconditions and the callers that an rpc declares', () => {
  const of = (name: string, callers: string[]) => askedBy({ service: 'CampaignsDelivery', name, callers })
  expect(of('ScheduleCampaign', ['gateway'])).toBeUndefined()
  expect(of('RequireAudienceUnused', ['gateway'])).toBe('asked before a deletion')
  expect(of('NoRoute', ['gateway'])).toBe('called by the gateway itself')
  expect(of('NoRoute', ['webhook-intake', 'gateway', 'imports'])).toBe('called by imports and webhook-intake')
})

const listed = services.flatMap((service) => {
  const path = ['src/operations.ts', 'src/operations/index.ts'].find((file) =>
    existsSync(join(root, 'services', service, file)),
  )
  return listedIn(read(`services/${service}/${path}`)).map((one) => ({ service, ...one }))
})

test('every rpc is in the list of its service, under its feature, and names its caller when no route calls it', () => {
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

test('only deletions, and changes that replace a whole object, have preconditions', () => {
  expect(preconditions.length).toBeGreaterThan(0)
  expect([...new Set(preconditions.map(({ method }) => method))].toSorted()).toEqual(['delete', 'put'])
  const of = (name: string) => askedBy({ service: 'CampaignsDelivery', name, callers: ['gateway'] })
  expect(of('RequireConfirmationEmail')).toBe('asked before a change')
})
