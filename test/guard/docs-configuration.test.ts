import { expect, test } from '@jest/globals'
import { configurationPage } from '../../tools/configuration-page.ts'
import { read } from './tree.ts'

test('docs/configuration.md is generated from the current config.ts files', async () => {
  const page = await configurationPage()
  expect(page.match(/^\| `/gm)!.length).toBeGreaterThan(80)
  expect(read('docs/configuration.md')).toBe(page)
})
