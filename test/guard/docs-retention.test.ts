import { expect, test } from '@jest/globals'
import { read, services, tablesOf } from './tree.ts'

const page = read('docs/retention.md')
const tables = services.flatMap(tablesOf).toSorted()

/** The names in the first column: `schema.table`, or a table that every schema has. */
const named = [...page.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([a-z_.]+)`/g)].flatMap(([, name]) =>
    name!.includes('.') ? [name!] : tables.filter((table) => table.endsWith(`.${name!}`)),
  ),
)

test('docs list every table of every schema once, with the time for which its rows are kept', () => {
  expect(tables.length).toBeGreaterThan(80)
  expect(named.toSorted()).toEqual(tables)
})

test('docs list every retention setting with its default', () => {
  const configs = services.map((service) => read(`services/${service}/src/config.ts`)).join('\n')
  const settings = [...configs.matchAll(/integer\('([A-Z_]+_DAYS)', \{ default: (\d+)/g)]
  expect(settings.length).toBeGreaterThan(4)
  for (const [, name, days] of settings) expect(page).toContain(`\`${name!}\` (${days!}`)
})
