import { expect, test } from '@jest/globals'
import { filesBelow, kebab, read } from './tree.ts'

/** Every operation of the OpenAPI documents that this proto package answers. */
const operationsOf = (area: string): string[] =>
  filesBelow('services/gateway/openapi')
    .flatMap((path) => [
      ...read(path).matchAll(new RegExp(`operationId: (\\w+)\\n\\s+x-rpc: lettergate\\.${area}\\.v1\\.`, 'g')),
    ])
    .map(([, name]) => name!)

test('docs/contacts.md names every operation of contacts-consent and no other, and every action that is audited', () => {
  const page = read('docs/contacts.md')
  const operations = operationsOf('contacts')
  expect(operations.length).toBeGreaterThan(35)
  const named = [...page.matchAll(/^\| ([a-zA-Z, ]+) \|/gm)]
    .flatMap(([, names]) => names!.split(', '))
    .filter((name) => name !== 'operation')
  expect(named.toSorted()).toEqual(operations.toSorted())
  for (const name of operations)
    expect(filesBelow('services/contacts-consent/src/operations').join()).toContain(`/${kebab(name)}.ts`)

  const sources = filesBelow('services/contacts-consent/src')
    .filter((path) => path.endsWith('.ts'))
    .map(read)
    .join('\n')
  const audited = [...sources.matchAll(/action: '(\w+)'/g)].map(([, action]) => action!)
  expect(audited.length).toBeGreaterThan(10)
  for (const action of audited) expect(page).toContain(`\`${action}\``)
})
