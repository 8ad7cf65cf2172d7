import { expect, test } from '@jest/globals'
import { filesBelow, isTypeScript, read } from './tree.ts'

/** Each service has its own configuration and its own context, in a file of that name. */
const ofEachService: Record<string, RegExp> = {
  Config: /^services\/[\w-]+\/src\/config\.ts$/,
  Ctx: /^services\/[\w-]+\/src\/ctx\.ts$/,
  Deps: /^services\/[\w-]+\/src\/ctx\.ts$/,
}

const declaration = /^export (?:declare )?(?:type|interface|enum|(?:abstract )?class) (\w+)/gm

/** The exported types of all workspaces, without migrations, whose names are stored in the databases, and without the public client packages. */
const exportedTypes = ['services', 'libs', 'test', 'deploy', 'tools']
  .flatMap(filesBelow)
  .filter((path) => isTypeScript(path) && !path.includes('/db/migrations/'))
  .flatMap((path) => Array.from(read(path).matchAll(declaration), ([, name]) => ({ name: name!, path })))
  .filter(({ name, path }) => ofEachService[name]?.test(path) !== true)

test('the name of an exported type has one meaning in all workspaces', () => {
  expect(exportedTypes.length).toBeGreaterThan(300)
  const duplicates = [...Map.groupBy(exportedTypes, ({ name }) => name)]
    .filter(([, found]) => new Set(found.map(({ path }) => path)).size > 1)
    .map(([name, found]) => `${name}: ${found.map(({ path }) => path).join(', ')}`)
  expect(duplicates).toEqual([])
})
