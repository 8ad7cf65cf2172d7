import { expect, test } from '@jest/globals'
import { filesBelow, read } from './tree.ts'

const linesOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0)

/**
 * Tests are `*.test.ts` files, everything in a folder named test, and libs/stage, which starts the real service for them.
 * Source is the TypeScript of services/<name>/src, libs/<name>/src and clients/<name>/src, migrations included, generated code not. Stand-ins,
 * the launcher, the tools and the components of the console (*.tsx) are neither.
 */
const isTest = (path: string) =>
  path.endsWith('.test.ts') || /(^|\/)test\//.test(path) || path.startsWith('libs/stage/')
const isSource = (path: string) => /^(?:services|libs|clients)\/[^/]+\/src\//.test(path) && !isTest(path)

test('there are at least 1.2 lines of tests for each line of source', () => {
  const files = ['libs', 'services', 'clients', 'deploy', 'test']
    .flatMap(filesBelow)
    .filter((path) => path.endsWith('.ts'))
  const tests = linesOf(files.filter(isTest))
  const source = linesOf(files.filter(isSource))
  expect(source).toBeGreaterThan(10_000)
  expect(tests / source).toBeGreaterThanOrEqual(1.2)
})
