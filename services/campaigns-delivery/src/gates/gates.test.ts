import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { systemCaller, type CallScope } from '@lettergate/service'
import { gates } from './gates.ts'

const scope: CallScope = {
  caller: systemCaller('test', 'test'),
  deadline: Infinity,
  signal: new AbortController().signal,
}
const name = 'production_sending_enabled'

function setUp() {
  const world = { time: 0, open: true, reachable: true, calls: 0 }
  const unreadable: number[] = []
  const getGates = async () => {
    world.calls += 1
    if (!world.reachable) throw new Fault('unavailable', 'identity', 'Not reachable.')
    return {
      $typeName: 'lettergate.identity.v1.GetGatesResponse' as const,
      effective: { [name]: world.open },
      ceilings: { [name]: true },
      switches: { [name]: world.open },
      closings: [],
    }
  }
  const known = gates({ getGates }, { clock: () => world.time, onUnreadable: (forMs) => unreadable.push(forMs) })
  return { world, known, unreadable }
}

test('a closed gate is noticed within 1 s, and at once after a notification', async () => {
  const { world, known } = setUp()
  expect(await known.isOpen(scope, name)).toBe(true)
  world.open = false
  world.time = 999
  expect(await known.isOpen(scope, name)).toBe(true)
  world.time = 1_000
  expect(await known.isOpen(scope, name)).toBe(false)
  world.open = true
  known.drop()
  expect(await known.isOpen(scope, name)).toBe(true)
})

test('a gate counts as closed when its state is 15 s old or was never read', async () => {
  const { world, known } = setUp()
  await known.isOpen(scope, name)
  world.reachable = false
  world.time = 14_999
  expect(await known.isOpen(scope, name)).toBe(true)
  world.time = 15_000
  expect(await known.isOpen(scope, name)).toBe(false)
  const other = setUp()
  other.world.reachable = false
  expect(await other.known.isOpen(scope, name)).toBe(false)
})

test('a gate that is not in the answer of identity is closed', async () => {
  const { known } = setUp()
  expect(await known.isOpen(scope, 'unheard_of')).toBe(false)
})

test('an answer that was under way when a gate changed is not used', async () => {
  const { world, known } = setUp()
  const asked = known.isOpen(scope, name)
  known.drop()
  world.open = false
  await asked
  expect(await known.isOpen(scope, name)).toBe(false)
  expect(world.calls).toBe(2)
})

test('concurrent questions share one call', async () => {
  const { world, known } = setUp()
  await Promise.all(Array.from({ length: 50 }, () => known.isOpen(scope, name)))
  expect(world.calls).toBe(1)
})

test('gates without an answer for 15 s are reported at each question, also after a change', async () => {
  const { world, known, unreadable } = setUp()
  await known.isOpen(scope, name)
  world.reachable = false
  world.time = 14_999
  await known.isOpen(scope, name)
  known.drop()
  await known.isOpen(scope, name)
  expect(unreadable).toEqual([])
  world.time = 15_000
  await known.isOpen(scope, name)
  world.time = 20_000
  await known.isOpen(scope, name)
  expect(unreadable).toEqual([15_000, 20_000])
  world.reachable = true
  await known.isOpen(scope, name)
  expect(unreadable).toHaveLength(2)
})

test('gates that never answered are reported 15 s after the first question', async () => {
  const { world, known, unreadable } = setUp()
  world.reachable = false
  world.time = 60_000
  await known.isOpen(scope, name)
  expect(unreadable).toEqual([])
  world.time = 75_000
  await known.isOpen(scope, name)
  expect(unreadable).toEqual([15_000])
})
