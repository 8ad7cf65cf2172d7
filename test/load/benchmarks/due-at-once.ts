import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@lettergate/database'
import { doStepsOneByOne, insertDueInFloor } from '../automation-floors.ts'
import { insertWaiting, publishAutomation, stepCounts, untilWorkedOff } from '../automations.ts'
import type { Bench } from '../bench.ts'
import { memoryPeaks, resetMemoryPeaks } from '../memory.ts'
import type { Result } from '../result.ts'
import { countSpending } from '../spending.ts'

const floorPeople = 5_000

/** Contacts whose wait ends in the same minute: how fast they move on, and how much memory the worker needs for it. */
export async function dueAtOnce(bench: Bench): Promise<Result[]> {
  const { database, floor, options, stack, print } = bench
  const { due: people } = options
  const name = `${people} due at once`
  const automation = await publishAutomation(bench, 'bench-due-at-once', [
    { type: 'wait_duration', config: { seconds: 60 } },
  ])
  print(name)
  await insertDueInFloor(floor.pool, floorPeople)
  const floorSeconds = await doStepsOneByOne(floor.pool, ['wait', 'end'])
  await database.query('begin')
  await insertWaiting(bench, automation, {
    contactIds: Array.from({ length: people }, () => newId()),
    dueAt: new Date(),
  })
  await sleep(2_000)
  resetMemoryPeaks(stack, ['automations'])
  const before = memoryPeaks(stack, ['automations'])
  const spending = countSpending(bench)
  const seconds = await spending.during(
    async () => {
      const began = performance.now()
      await database.query('commit')
      await untilWorkedOff(bench)
      return (performance.now() - began) / 1_000
    },
    () => people * 2,
  )
  spending.print(name, 'step')
  const counts = await stepCounts(bench, automation.id)
  if (counts['completed'] !== people) throw new Error(`the steps are wrong: ${JSON.stringify(counts)}`)
  return [
    {
      name,
      unit: 'steps/s',
      ours: (people * 2) / seconds,
      floor: (floorPeople * 2) / floorSeconds,
      floorIs: 'each step in a transaction of its own, on four connections',
      note: `in ${seconds.toFixed(1)} s; ${memoryPeaks(stack, ['automations'])}; before: ${before}`,
    },
  ]
}
