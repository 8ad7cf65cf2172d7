import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { systemCaller } from '@lettergate/service'
import { automationGate, openAutomationGate } from './automation-gate.ts'

const scope = { caller: systemCaller('test', 'test'), deadline: Infinity, signal: new AbortController().signal }

function setUp() {
  const world = { time: 0, effective: { [automationGate]: true } as Record<string, boolean>, reachable: true, calls: 0 }
  const getGates = async () => {
    world.calls += 1
    if (!world.reachable) throw new Fault('unavailable', 'identity', 'Not reachable.')
    return {
      $typeName: 'lettergate.identity.v1.GetGatesResponse' as const,
      effective: world.effective,
      ceilings: {},
      switches: {},
    }
  }
  return { world, gate: openAutomationGate({ getGates }, () => world.time) }
}

test('a closed gate is noticed within 3 s, and an opened one too', async () => {
  const { world, gate } = setUp()
  expect(await gate.state(scope)).toBe('open')
  world.effective = { [automationGate]: false }
  world.time = 2_999
  expect(await gate.state(scope)).toBe('open')
  world.time = 3_000
  expect(await gate.state(scope)).toBe('closed')
  world.effective = { [automationGate]: true }
  world.time = 6_000
  expect(await gate.state(scope)).toBe('open')
})

test('without an answer the last state counts for 15 s, then it is unknown', async () => {
  const { world, gate } = setUp()
  await gate.state(scope)
  world.reachable = false
  world.time = 14_999
  expect(await gate.state(scope)).toBe('open')
  world.time = 15_000
  expect(await gate.state(scope)).toBe('unknown')
  const other = setUp()
  other.world.reachable = false
  expect(await other.gate.state(scope)).toBe('unknown')
})

test('a gate that is not in the answer is closed', async () => {
  const { world, gate } = setUp()
  world.effective = {}
  expect(await gate.state(scope)).toBe('closed')
})

test('concurrent questions share one call', async () => {
  const { world, gate } = setUp()
  await Promise.all(Array.from({ length: 50 }, () => gate.state(scope)))
  expect(world.calls).toBe(1)
})
