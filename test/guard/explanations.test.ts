import { expect, test } from '@jest/globals'
import { read } from './tree.ts'

test('the console explains every reason against mailing a contact', () => {
  const source = read('services/contacts-consent/src/eligibility/eligibility-reasons.ts')
  const list = /eligibilityReasons = \[([^\]]*)\]/.exec(source)![1]!
  const reasons = Array.from(list.matchAll(/'(\w+)'/g), ([, name]) => name)
  const table = read('services/console/src/parts/explanations.ts')
  const explained = new Set(Array.from(table.matchAll(/^ {2}(\w+): \{/gm), ([, name]) => name))
  expect(reasons.length).toBeGreaterThan(10)
  expect(reasons.filter((name) => !explained.has(name))).toEqual([])
})
