import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { cyclesIn, importsOfFiles, importsOfFolders } from './imports.ts'
import { foldersIn, root } from './tree.ts'

const imports = importsOfFiles()

test('imports of local files, of other packages and of types are read', () => {
  expect(imports.get('services/contacts-consent/src/service.ts')).toEqual(
    expect.arrayContaining([
      'services/contacts-consent/src/operations.ts',
      'services/contacts-consent/src/ctx.ts',
      'libs/database/src/database.ts',
      'libs/service/src/one-by-one.ts',
    ]),
  )
})

test('cycles of any size are found, and no other nodes are reported', () => {
  const graph = new Map([
    ['a', ['b', 'd']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', ['e']],
    ['f', ['a', 'd']],
  ])
  expect(cyclesIn(graph)).toEqual([['a', 'b', 'c'], ['e']])
})

test('no files import each other in a cycle', () => {
  expect(cyclesIn(imports)).toEqual([])
})

const sources = ['libs', 'services', 'clients']
  .flatMap((parent) => foldersIn(parent).map((name) => `${parent}/${name}/src`))
  .filter((src) => existsSync(join(root, src)))

test('the folders of every service and library are read', () => {
  expect(sources.length).toBeGreaterThan(15)
  expect(importsOfFolders(imports, 'services/campaigns-delivery/src').get('delivery')).toContain('runs')
})

// A cycle may also have three or more nodes and no pair.
test.each([...sources, 'deploy', 'test'])('no two folders of %s import each other', (src) => {
  expect(cyclesIn(importsOfFolders(imports, src))).toEqual([])
})
