import { expect, test } from '@jest/globals'
import { declaredStatements } from '../../tools/statements.ts'
import { foldersIn, read, services, sourcesOf } from './tree.ts'

/**
 * How many statements still answer rows whose type nobody checks, or run without a name, by service and folder. Declare
 * them with `statement()`, and take them off here. The numbers may only get smaller; new code has none.
 */
const unchecked: Record<string, number> = {
  'services/campaigns-delivery': 191,
  'services/contacts-consent/consent-record': 18,
  'services/gateway/engine': 8,
}

/** Their entities are renamed when the folders of the service have settled. */
const namedOtherwise = ['campaigns-delivery']

const workspaces = [
  ...foldersIn('libs').map((name) => `libs/${name}`),
  ...services.map((service) => `services/${service}`),
]

/** The folder of a feature; campaigns-delivery counts as one. */
const placeOf = (path: string): string => {
  const [kind, name, , folder] = path.split('/')
  const isFile = path.split('/').length === 4
  return name === 'campaigns-delivery' || kind === 'libs' || isFile ? `${kind}/${name}` : `${kind}/${name}/${folder}`
}

/** Calls of the functions that run a statement which is not declared; a method of that name is another thing. */
function uncheckedIn(path: string): number {
  const source = read(path)
  const imported = /import \{([^}]*)\} from '(@lettergate\/database|\.\/query\.ts)'/.exec(source)?.[1] ?? ''
  const names = imported.split(',').map((name) => name.trim())
  const used = names.filter((name) => ['row', 'rows', 'execute'].includes(name))
  if (used.length === 0) return 0
  return [...source.matchAll(new RegExp(`(?<![.\\w])(${used.join('|')})(<[^()]*>)?\\(`, 'g'))].length
}

test('each statement in SQL is declared with the shape of its result, but for those known', () => {
  const found: Record<string, number> = {}
  for (const path of workspaces.flatMap(sourcesOf)) {
    const count = uncheckedIn(path)
    if (count > 0) found[placeOf(path)] = (found[placeOf(path)] ?? 0) + count
  }
  expect(found).toEqual(unchecked)
})

test('each declared statement has a name of its own', () => {
  const names = declaredStatements()
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

const kebab = (name: string) => name.replace(/(?<!^)[A-Z]/g, (upper) => `-${upper}`).toLowerCase()

test('an entity is exported under its own singular name, from a file that is named after its first', () => {
  for (const service of services.filter((name) => !namedOtherwise.includes(name))) {
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
