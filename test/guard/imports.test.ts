import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { circlesIn, importsOfFiles, importsOfFolders } from './imports.ts'
import { foldersIn, root } from './tree.ts'

const imports = importsOfFiles()

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
  expect(circlesIn(imports)).toEqual([])
})

const sources = ['libs', 'services']
  .flatMap((parent) => foldersIn(parent).map((name) => `${parent}/${name}/src`))
  .filter((src) => existsSync(join(root, src)))

test('every service and library has its folders read', () => {
  expect(sources.length).toBeGreaterThan(15)
  expect(importsOfFolders(imports, 'services/campaigns-delivery/src').get('delivery')).toContain('runs')
})

// Nor do three or more in a circle, where no pair is left.
test.each(sources)('no two folders of %s import each other', (src) => {
  expect(circlesIn(importsOfFolders(imports, src))).toEqual([])
})
