import { expect, test } from '@jest/globals'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, foldersIn, isTypeScript, read, root, services, sourcesOf, testsOf } from './tree.ts'

const businessNouns = [
  'contact',
  'audience',
  'campaign',
  'suppression',
  'consent',
  'subscriber',
  'subscription',
  'sender',
  'preference',
  'enrollment',
  'automation',
  'newsletter',
  'unsubscribe',
]

/** Lines of these files that a pattern finds, as `path:line text`. */
const linesWith = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  )

test('no file is a symbolic link, which a copy of the repository may turn into a text file', () => {
  const folders = ['charts', 'clients', 'deploy', 'docs', 'libs', 'proto', 'services', 'test', 'tools']
  const links = folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink() && !`${entry.parentPath}/`.includes('/node_modules/'))
  expect(links.map(({ parentPath, name }) => join(parentPath, name))).toEqual([])
})

test('no lib uses a business noun', () => {
  // Also inside identifiers: findContact, audience_id.
  const pattern = new RegExp(businessNouns.join('|'), 'i')
  const template = /template/i
  const libs = foldersIn('libs').filter((name) => name !== 'contracts')
  const sources = libs.flatMap((name) => sourcesOf(`libs/${name}`))
  expect(linesWith(sources, pattern)).toEqual([])
  // Test databases are clones of a template database.
  expect(
    linesWith(
      sources.filter((path) => !path.startsWith('libs/stage/')),
      template,
    ),
  ).toEqual([])
})

test('only libs/values recognises ids and escapes HTML', () => {
  const sources = [...foldersIn('libs').map((name) => `libs/${name}`), ...services.map((name) => `services/${name}`)]
    .flatMap((folder) => sourcesOf(folder))
    .concat(filesBelow('deploy').filter(isTypeScript))
    .filter((path) => !path.startsWith('libs/values/'))
  expect(sources.length).toBeGreaterThan(500)
  expect(linesWith(sources, /\[0-9a-f(?:A-F)?\]\{8\}-/)).toEqual([])
  // email content is written as a parser of HTML writes it, and merge fields are escaped against the provider's variables, too
  const emailContent = /^services\/campaigns-delivery\/.*\/(places|escape-text)\.ts$/
  expect(
    linesWith(
      sources.filter((path) => !emailContent.test(path)),
      /['"]&lt;['"]/,
    ),
  ).toEqual([])
})

/** The preload that starts tracing runs before the configuration is read. */
const environmentElsewhere = ['libs/service/src/telemetry.ts']

test('only config.ts reads the environment', () => {
  const sources = [
    ...foldersIn('libs').flatMap((name) => sourcesOf(`libs/${name}`)),
    ...services.flatMap((name) => sourcesOf(`services/${name}`)),
    ...sourcesOf('clients'),
    ...filesBelow('deploy').filter((path) => isTypeScript(path) && !path.includes('/test/')),
  ]
  const others = sources.filter((path) => !path.endsWith('/config.ts') && !environmentElsewhere.includes(path))
  expect(linesWith(others, /\bprocess\.env\b/)).toEqual([])
})

test('services never import each other', () => {
  const names = foldersIn('services')
  for (const service of names) {
    const others = names.filter((name) => name !== service).join('|')
    expect(
      linesWith(
        sourcesOf(`services/${service}`),
        new RegExp(`from '@lettergate/(${others})(/|')|import\\('@lettergate/(${others})`),
      ),
    ).toEqual([])
  }
})

test('no import leaves its workspace by path', () => {
  const workspaces = [
    ...foldersIn('libs').map((name) => `libs/${name}`),
    ...foldersIn('services').map((name) => `services/${name}`),
    ...foldersIn('clients').map((name) => `clients/${name}`),
  ]
  for (const workspace of workspaces) {
    for (const path of sourcesOf(workspace)) {
      const depth = path.slice(workspace.length + 1).split('/').length - 1
      const climbs = [...read(path).matchAll(/from '((?:\.\.\/)+)/g)].map(([, up]) => up!.length / 3)
      expect({ path, climbsOut: climbs.some((up) => up > depth) }).toEqual({ path, climbsOut: false })
    }
  }
})

test('libs import no service', () => {
  const pattern = new RegExp(`from '@lettergate/(${foldersIn('services').join('|')})(/|')`)
  expect(
    linesWith(
      foldersIn('libs').flatMap((name) => sourcesOf(`libs/${name}`)),
      pattern,
    ),
  ).toEqual([])
})

test('a file over 300 lines gives the reason', () => {
  const paths = ['libs', 'services', 'clients', 'deploy', 'test', 'tools', 'proto', 'docs']
    .flatMap(filesBelow)
    .filter((path) => /\.(ts|tsx|mjs|proto|yaml|yml|md)$/.test(path) && !path.includes('/migrations/'))
  const long = paths.filter((path) => {
    const lines = read(path).trimEnd().split('\n')
    return lines.length > 300 && !lines.some((line) => /over 300 lines because \S/i.test(line))
  })
  expect(long).toEqual([])
})

test('a service has the standard files', () => {
  for (const service of services) {
    const files = filesBelow(`services/${service}`)
    for (const file of [
      'README.md',
      'src/main.ts',
      'src/service.ts',
      'src/config.ts',
      'src/migrate.ts',
      'src/db/migrations.ts',
      files.includes(`services/${service}/src/operations.ts`) ? 'src/operations.ts' : 'src/operations/index.ts',
    ]) {
      expect({ service, file, there: files.includes(`services/${service}/${file}`) }).toEqual({
        service,
        file,
        there: true,
      })
    }
    const headings = [...read(`services/${service}/README.md`).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect({ service, headings }).toEqual({
      service,
      headings: ['Owns', 'Answers', 'Listens', 'Announces', 'Tables', 'When it is down'],
    })
  }
})

/** Tests in a browser are skipped on a machine that has none, and say so. */
const needsBrowser = 'test/console/browser.ts'

test('every TODO names its issue; FIXME, XXX, HACK and skipped tests are not allowed', () => {
  const sources = ['libs', 'services', 'clients', 'deploy', 'tools'].flatMap(filesBelow).filter(isTypeScript)
  expect(linesWith(sources, /\b(FIXME|XXX|HACK)\b|TODO(?!\(#\d+\))/)).toEqual([])
  expect(
    linesWith(
      ['libs', 'services', 'clients', 'deploy', 'test'].flatMap(testsOf).filter((path) => path !== needsBrowser),
      /\b(test|it|describe)\.(skip|only|todo)\b/,
    ),
  ).toEqual([])
})

test('clients use nothing of the libs and services', () => {
  const folders = [...foldersIn('libs'), ...foldersIn('services')].join('|')
  expect(linesWith(sourcesOf('clients'), new RegExp(`'@lettergate/(${folders})(/|')`))).toEqual([])
})
