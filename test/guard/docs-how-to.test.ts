import { expect, test } from '@jest/globals'
import { filesBelow, read } from './tree.ts'

const templates = filesBelow('services/gateway/openapi').flatMap((file) =>
  [...read(file).matchAll(/^(\/\S*):$/gm)].map(([, path]) => path!),
)

/** `$W/contacts/$ADA/suppress` as a path, each variable as one segment. */
const pathOf = (written: string) =>
  written
    .replace(/^\$W/, '/api/v1/organizations/acme/workspaces/newsletter')
    .replace(/^\$C/, '/console/api/organizations/acme/workspaces/newsletter')
    .replace(/^\$B/, '')
    .replace(/\?.*/, '')

const exists = (path: string) =>
  path.startsWith('/console/auth/') ||
  templates.some((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))

test('every address in README.md and docs/how-to exists in the API', () => {
  const addresses = ['README.md', ...filesBelow('docs/how-to')].flatMap((page) =>
    [
      ...read(page).matchAll(
        /^(?:api|refused|console|curl|[A-Z_]+=\$\((?:api|console|curl)) .*?(\$[WCB](?:\/[^\s")|]*)?)(?=[\s")|])/gm,
      ),
    ].map(([, written]) => ({ page, path: pathOf(written!) })),
  )
  expect(addresses.length).toBeGreaterThan(40)
  expect(addresses.filter(({ path }) => !exists(path))).toEqual([])
})
