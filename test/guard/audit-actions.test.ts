import { expect, test } from '@jest/globals'
import { read, services, sourcesOf } from './tree.ts'

const sources = [...services.map((service) => `services/${service}`), 'libs/events'].flatMap(sourcesOf)

const written = sources.flatMap((path) =>
  Array.from(read(path).matchAll(/\baction: (.*)/g), ([, value]) => ({ path, value: value! })),
)
const literal = written.flatMap(({ value }) => Array.from(value.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g), ([, one]) => one!))

/** Actions that a service makes of two parts, with every second part. */
const parts = (path: string, pattern: RegExp) => Array.from(read(path).matchAll(pattern), ([, one]) => one!)
const composed: Record<string, string[]> = {
  enrollment_: parts('services/automations/src/enrollments/enrollment-controls.ts', /\bdone: '(\w+)' \}/g),
  synthetic_rehearsal_: parts(
    'services/campaigns-delivery/src/synthetic-rehearsals/synthetic-rehearsal.entity.ts',
    /(?<=interface RehearsalEnd \{\n(?: .*\n)*? {2}state: .*)'(\w+)'/g,
  ),
}
const actions = new Set([
  ...literal,
  ...Object.entries(composed).flatMap(([start, ends]) => ends.map((end) => start + end)),
])

test('an action that is made of two parts is one of those that this test knows', () => {
  const starts = written.flatMap(({ value }) => Array.from(value.matchAll(/`(\w+)\$\{/g), ([, start]) => start!))
  expect(new Set(starts)).toEqual(new Set(Object.keys(composed)))
  expect(Object.values(composed).map((ends) => ends.length)).toEqual([4, 2])
})

test('the console has words for every action that the services write into the audit log, and for no other', () => {
  const table = read('services/console/src/pages/platform/audit-actions.ts')
  const named = Array.from(table.matchAll(/^ {4}(\w+): '/gm), ([, name]) => name!)
  expect(named.toSorted()).toEqual([...actions].toSorted())
  expect(actions.size).toBeGreaterThan(100)
})
