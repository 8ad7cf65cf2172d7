import { expect, test } from '@jest/globals'
import { declaredStatements } from '../../tools/statements.ts'
import { foldersIn, read, services, sourcesOf } from './tree.ts'

/** Calls that give SQL to the driver without `statement()`, so that their result is not checked. */
const undeclared = /\bgetKysely\(|\bem\.execute\(|\.execute\(\s*kyselyOf\(/

test('only libs/database gives SQL to the driver; elsewhere each statement in SQL is declared', () => {
  const isUndeclared = (path: string) => undeclared.test(read(path))
  const elsewhere = [
    ...foldersIn('libs').map((name) => `libs/${name}`),
    ...services.map((service) => `services/${service}`),
  ].filter((workspace) => workspace !== 'libs/database')
  expect(sourcesOf('libs/database').filter(isUndeclared)).not.toEqual([])
  expect(elsewhere.flatMap(sourcesOf).filter(isUndeclared)).toEqual([])
})

test('each declared statement has a unique name', () => {
  const names = declaredStatements()
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

const kebab = (name: string) => name.replace(/(?<!^)[A-Z]/g, (upper) => `-${upper}`).toLowerCase()

test('an entity is exported under its singular name, from a file with the name of its first entity', () => {
  for (const service of services) {
    for (const path of sourcesOf(`services/${service}`)) {
      const defined = [...read(path).matchAll(/(\w+) = defineEntity\(\{\s*name: '(\w+)'/g)]
      if (defined.length === 0 && !path.endsWith('.entity.ts')) continue
      const exported = defined.map(([, name]) => name)
      const names = defined.map(([, , name]) => name!)
      const file = path.split('/').at(-1)
      expect({ path, exported, file }).toEqual({ path, exported: names, file: `${kebab(names[0] ?? '')}.entity.ts` })
    }
  }
})
