import { expect, test } from '@jest/globals'
import { filesBelow, read, services, sourcesOf } from './tree.ts'

interface Operation {
  name: string
  /** in the form of the pages: `W` and `CW` for the workspace */
  path: string
  method: string
}

const inShort = (path: string) =>
  path
    .replace('/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}', 'W')
    .replace('/console/api/organizations/{organization_slug}/workspaces/{workspace_slug}', 'CW')

/** The operations of the OpenAPI documents. */
function operationsOf(document: string): Operation[] {
  const found: Operation[] = []
  let path = ''
  let method = ''
  for (const line of read(document).split('\n')) {
    path = /^(\/\S*):$/.exec(line)?.[1] ?? path
    method = /^ {2}(get|post|put|patch|delete):$/.exec(line)?.[1] ?? method
    const name = /^ {4}operationId: (\w+)$/.exec(line)?.[1]
    if (name !== undefined) found.push({ name, path: inShort(path), method: method.toUpperCase() })
  }
  return found
}

const offered = filesBelow('services/gateway/openapi').flatMap(operationsOf)

const pages = filesBelow('docs').filter((path) => /^docs\/[\w-]+\.md$/.test(path))

/** The rows of all tables of operations. */
const rows = pages.flatMap((page) => {
  const tables = read(page).matchAll(/^\| operation \| route \| effect \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/gm)
  return [...tables]
    .flatMap(([, body]) => [...body!.matchAll(/^\| (.+?) \| (.+?) \| .+ \|$/gm)])
    .map(([, names, routes]) => ({ page, names: names!.split(', '), routes: routes! }))
})

test('docs list every operation of the API exactly once, and no other', () => {
  expect(offered.length).toBeGreaterThan(100)
  expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(offered.map(({ name }) => name).toSorted())
})

test('docs list each operation with its method and its route', () => {
  const wrong = offered.filter(({ name, path, method }) => {
    const routes = rows.find(({ names }) => names.includes(name))?.routes ?? ''
    // A row may show only the differing part of the route of its last operation.
    const written = [...routes.matchAll(/`([^`]+)`/g)].map(([, route]) => route!)
    const isNamed = written.some((route) => (route.startsWith('…') ? path.endsWith(route.slice(1)) : route === path))
    return !isNamed || !routes.includes(method)
  })
  expect(wrong).toEqual([])
})

test('docs name every audited action', () => {
  const audited = services
    .flatMap((service) => sourcesOf(`services/${service}/src`))
    .flatMap((path) => [...read(path).matchAll(/\baction: (.*)/g)])
    .flatMap(([, value]) => [...value!.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, action]) => action!))
  expect(audited.length).toBeGreaterThan(45)
  const text = pages.map(read).join('\n')
  expect(audited.filter((action) => !text.includes(`\`${action}\``))).toEqual([])
})

test('the README links every page of operations', () => {
  const front = read('README.md')
  for (const page of new Set(rows.map((row) => row.page))) expect(front).toContain(`(${page})`)
})

const files = ['libs', 'services', 'clients', 'deploy', 'test', 'tools', 'proto'].flatMap(filesBelow)
const pagesOfAll = ['CONTRIBUTING.md', 'README.md', ...filesBelow('docs'), ...files].filter((path) =>
  path.endsWith('.md'),
)

test('the folders that pages and READMEs name are there', () => {
  const missing = pagesOfAll.flatMap((page) =>
    [...read(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/)`/g)]
      .map(([, named]) => named!)
      .filter((named) => !files.some((file) => `/${file}`.includes(`/${named}`)))
      .map((named) => `${page} ${named}`),
  )
  expect(missing).toEqual([])
})

test('every code file that pages and READMEs name exists', () => {
  const missing = pagesOfAll.flatMap((page) =>
    [...read(page).matchAll(/`([\w./-]+\.ts)`/g)]
      .map(([, named]) => named!)
      .filter((named) => !files.some((file) => file === named || file.endsWith(`/${named}`)))
      .map((named) => `${page} ${named}`),
  )
  expect(missing).toEqual([])
})

test('each decision has a number of its own, in its name and in its title', () => {
  const decisions = filesBelow('docs/adr').map((path) => ({ path, number: Number(/\/(\d{4})-/.exec(path)?.[1]) }))
  expect(decisions.length).toBeGreaterThan(60)
  expect(new Set(decisions.map(({ number }) => number)).size).toBe(decisions.length)
  expect(decisions.filter(({ path, number }) => !read(path).startsWith(`# ${number}. `))).toEqual([])
})
