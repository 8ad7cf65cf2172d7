import { openApi, signInAs } from '@lettergate/demo/api'
import { prepareYear, timelineOf, yearSteps } from '@lettergate/demo/synthetic-year'
import { workspace, type Bench } from '../bench.ts'
import { processorMsByName, usedBetween } from '../processor-time.ts'
import type { Result } from '../result.ts'

const goalMs = 1_000
const warmUp = 10
const runs = 100

/** Years of a sequence with an email each month, run with a virtual clock, one request after the other. Each has the same timeline. */
export async function syntheticYears(bench: Bench): Promise<Result[]> {
  const { api, stack, processes, print } = bench
  const browser = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  const atConsole = workspace.replace('/api/v1', '/console/api')
  const year = await prepareYear({ api, browser, workspace, atConsole, stack, round: 1, print })
  const first = await year.run()
  if (first.steps.length !== yearSteps) throw new Error(`a year has ${first.steps.length} steps`)
  const runOnce = async () => {
    const began = performance.now()
    const enrollment = await year.run()
    const ms = performance.now() - began
    if (timelineOf(enrollment) !== timelineOf(first)) throw new Error('two runs of a year have different timelines')
    return ms
  }
  for (let n = 0; n < warmUp; n += 1) await runOnce()
  const before = processorMsByName(processes)
  const times: number[] = []
  for (let n = 0; n < runs; n += 1) times.push(await runOnce())
  const used = usedBetween(before, processorMsByName(processes))
  await browser.close()
  const processorMs = [...used.values()].reduce((sum, ms) => sum + ms, 0) / runs
  const inOrder = times.toSorted((one, other) => one - other)
  return [
    {
      name: `a synthetic year of ${yearSteps} steps`,
      unit: 'ms',
      ours: inOrder[runs / 2]!,
      floor: goalMs,
      floorIs: `not a floor: the time that a year may take. The median of ${runs} requests`,
      note: `${processorMs.toFixed(1)} ms of processor time in all processes; the slowest request ${Math.round(inOrder.at(-1)!)} ms`,
    },
  ]
}
