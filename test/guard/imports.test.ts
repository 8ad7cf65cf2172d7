import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { circlesIn, importsOfFiles, importsOfFolders } from './imports.ts'
import { foldersIn, root } from './tree.ts'

const imports = importsOfFiles()

/** Folders of src that still import each other. Only ever take lines away. */
const knownPairs: Record<string, readonly string[]> = {
  'services/campaigns-delivery/src': [
    'consumers and delivery',
    'consumers and testing',
    'db and delivery',
    'delivery and jobs',
    'delivery and testing',
    'jobs and testing',
    'operations and webhooks',
  ],
}

/** Files that still import each other in a circle. Only ever take lines away. */
const knownCircles: readonly (readonly string[])[] = [
  ['services/campaigns-delivery/src/ctx.ts', 'services/campaigns-delivery/src/delivery/measures.ts'],
]

test('the imports are read: of files beside it, of other packages, and of types alone', () => {
  expect(imports.get('services/contacts-consent/src/service.ts')).toEqual(
    expect.arrayContaining([
      'services/contacts-consent/src/operations.ts',
      'services/contacts-consent/src/ctx.ts',
      'libs/database/src/database.ts',
      'libs/service/src/one-by-one.ts',
    ]),
  )
})

test('a circle is found however many nodes it has, and nothing else is one', () => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', ['e']],
    ['f', ['a', 'd']],
  ])
  expect(circlesIn(graph)).toEqual([['a', 'b', 'c'], ['e']])
})

test('no files import each other in a circle', () => {
  expect(circlesIn(imports)).toEqual(knownCircles)
})

const sources = ['libs', 'services']
  .flatMap((parent) => foldersIn(parent).map((name) => `${parent}/${name}/src`))
  .filter((src) => existsSync(join(root, src)))

test.each(sources)('no two folders of %s import each other', (src) => {
  const folders = importsOfFolders(imports, src)
  const pairs = [...folders].flatMap(([from, targets]) =>
    targets.filter((to) => from < to && folders.get(to)?.includes(from)).map((to) => `${from} and ${to}`),
  )
  expect(pairs.toSorted()).toEqual(knownPairs[src] ?? [])
  // Nor do three or more in a circle, where no pair is left.
  if (knownPairs[src] === undefined) expect(circlesIn(folders)).toEqual([])
})

test('the list of pairs names sources that are there', () => {
  expect(Object.keys(knownPairs).filter((src) => !sources.includes(src))).toEqual([])
})
