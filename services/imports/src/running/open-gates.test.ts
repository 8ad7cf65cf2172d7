import { expect, test } from '@jest/globals'
import { openGates } from './open-gates.ts'

const closed = {
  gates: {
    effective: { test_sends_enabled: false, production_sending_enabled: false, rate_limit_enabled: true },
    ceilings: { test_sends_enabled: true, production_sending_enabled: false },
  },
  workspace: { productionSendingEnabled: false },
  hasEnabledSender: false,
}
const withGates = (gates: { effective?: Record<string, boolean>; ceilings?: Record<string, boolean> }) => ({
  ...closed,
  gates: { ...closed.gates, ...gates },
})

test('an import may be applied only while nothing can send', () => expect(openGates(closed)).toEqual([]))

test.each([
  ['test_sends_enabled', withGates({ effective: { ...closed.gates.effective, test_sends_enabled: true } })],
  ['enabled_sender', { ...closed, hasEnabledSender: true }],
  ['workspace_sending', { ...closed, workspace: { productionSendingEnabled: true } }],
  ['production_ceiling', withGates({ ceilings: { ...closed.gates.ceilings, production_sending_enabled: true } })],
  [
    'production_sending_enabled',
    withGates({ effective: { ...closed.gates.effective, production_sending_enabled: true } }),
  ],
])('%s is named when it is open', (gate, answers) => expect(openGates(answers)).toEqual([gate]))

test('a gate that the answer does not name counts as open', () => {
  expect(openGates(withGates({ effective: {}, ceilings: {} }))).toEqual([
    'test_sends_enabled',
    'production_ceiling',
    'production_sending_enabled',
  ])
})
