import { expect, test } from '@jest/globals'
import { tools } from '../gen/tools.ts'
import { dangerous, enablable, groupOf, howToEnable, isAllowed, isEnabled } from './offered-tools.ts'

const named = (name: string) => tools.find((tool) => tool.name === name)!
const enabledBy = (...names: string[]) =>
  tools.filter((tool) => isEnabled(tool, new Set(names))).map(({ name }) => name)

test('without an option only reading is enabled', () => {
  expect(enabledBy()).toEqual(tools.filter(({ method }) => method === 'GET').map(({ name }) => name))
})

test.each([
  ['scheduleCampaign', 'production'],
  ['createTestSend', 'test-delivery'],
  ['verifySendingDomain', 'changes'],
  ['upsertContact', 'changes'],
  ['getMe', 'read'],
])('%s belongs to %s', (name, group) => {
  expect(groupOf(named(name))).toBe(group)
})

test('every dangerous tool exists, needs its own name, and its reason is told', () => {
  for (const [name, reason] of Object.entries(dangerous)) {
    expect(enabledBy('changes', 'test-delivery', 'production')).not.toContain(name)
    expect(enabledBy(name)).toContain(name)
    expect(howToEnable(named(name))).toContain(reason)
  }
})

test('every operation of the safety class production path can send, so no group but production enables it', () => {
  const production = tools.filter(({ safetyClass, method }) => safetyClass === 'production path' && method !== 'GET')
  expect(production.length).toBeGreaterThan(4)
  for (const { name } of production) expect(enabledBy('changes', 'test-delivery')).not.toContain(name)
  expect(enablable()).toEqual(expect.arrayContaining(['changes', 'test-delivery', 'production', 'scheduleCampaign']))
})

test('a tool is for those whose role has its capability', () => {
  expect(isAllowed(named('upsertContact'), new Set(['view']))).toBe(false)
  expect(isAllowed(named('upsertContact'), new Set(['upsert_contacts']))).toBe(true)
  expect(isAllowed(named('getMe'), new Set())).toBe(true)
})
