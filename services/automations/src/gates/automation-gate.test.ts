import { expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs, type Timestamp } from '@bufbuild/protobuf/wkt'
import { GateClosingSchema } from '@lettergate/contracts/identity/v1/identity'
import { Fault } from '@lettergate/fault'
import { systemCaller } from '@lettergate/service'
import { automationGate, openAutomationGate } from './automation-gate.ts'

const scope = { caller: systemCaller('test', 'test'), deadline: Infinity, signal: new AbortController().signal }

function setUp() {
  const closings: { closedAt: Timestamp; openedAt?: Timestamp }[] = []
  const world = {
    closings,
    time: 0,
    effective: { [automationGate]: true } as Record<string, boolean>,
    reachable: true,
    calls: 0,
    /** of the next answers */
    delays: [] as Promise<void>[],
  }
  const getGates = async () => {
    world.calls += 1
    if (!world.reachable) throw new Fault('unavailable', 'identity', 'Not reachable.')
    const { effective } = world
    await world.delays.shift()
    return {
      $typeName: 'lettergate.identity.v1.GetGatesResponse' as const,
      effective,
      ceilings: {},
      switches: {},
      closings: world.closings.map((closing) => create(GateClosingSchema, closing)),
    }
  }
  return { world, gate: openAutomationGate({ getGates }, () => world.time) }
}

test('a closed gate is noticed within 1 s, and an opened one too', async () => {
  const { world, gate } = setUp()
  expect(await gate.state(scope)).toBe('open')
  world.effective = { [automationGate]: false }
  world.time = 999
  expect(await gate.state(scope)).toBe('open')
  world.time = 1_000
  expect(await gate.state(scope)).toBe('closed')
  world.effective = { [automationGate]: true }
  world.time = 2_000
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

test('after a drop the state is read again, and an answer from before it does not count', async () => {
  const { world, gate } = setUp()
  await gate.state(scope)
  world.effective = { [automationGate]: false }
  gate.drop()
  const late = gate.state(scope)
  world.effective = { [automationGate]: true }
  gate.drop()
  expect(await gate.state(scope)).toBe('open')
  await late
  expect(await gate.state(scope)).toBe('open')
  expect(world.calls).toBe(3)
})

test('the gate can be read anew, whatever is known, and an older answer that comes later does not replace the new one', async () => {
  const { world, gate } = setUp()
  world.effective = { [automationGate]: false }
  const { promise: delay, resolve: answer } = Promise.withResolvers<void>()
  world.delays = [delay]
  const older = gate.readNow(scope)
  world.time = 1
  world.effective = { [automationGate]: true }
  expect((await gate.readNow(scope)).state).toBe('open')
  answer()
  expect((await older).state).toBe('closed')
  expect(await gate.state(scope)).toBe('open')
  expect(world.calls).toBe(2)
  world.reachable = false
  expect((await gate.readNow(scope)).state).toBe('unknown')
})

test('the answer tells when the gate was closed', async () => {
  const { world, gate } = setUp()
  const at = timestampFromMs
  world.closings = [{ closedAt: at(50) }, { closedAt: at(10), openedAt: at(20) }]
  const { wasClosedAt } = await gate.read(scope)
  expect([9, 10, 19, 20, 49, 50, 99].map((ms) => wasClosedAt(new Date(ms)))).toEqual([
    false,
    true,
    true,
    false,
    false,
    true,
    true,
  ])
})
