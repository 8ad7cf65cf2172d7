import { expect, test } from '@jest/globals'
import { read } from './tree.ts'

test('docs/how-to/rotate-keys.md names every secret and every certificate of the configuration', () => {
  const variables = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \| .* \| (.*) \|$/gm)]
  const toRotate = variables
    .filter(([, name, meaning]) => /\bSecret\.$/.test(meaning!) || name!.endsWith('_FILE'))
    .map(([, name]) => name!)
  expect(toRotate).toEqual(expect.arrayContaining(['DATABASE_URL', 'TLS_CA_FILE', 'ERASURE_HASH_KEYS']))
  const ofProvider = [...read('charts/lettergate/values.yaml').matchAll(/(?:credentials|signingKeys): \[(\w+)\]/g)]
  expect(ofProvider).toHaveLength(2)
  const page = read('docs/how-to/rotate-keys.md')
  const missing = [...toRotate, ...ofProvider.map(([, name]) => name!)].filter((name) => !page.includes(`\`${name}\``))
  expect(missing).toEqual([])
})
