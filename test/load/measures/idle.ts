import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { processorMsByName, usedBetween } from '../processor-time.ts'
import type { Result } from '../result.ts'

/** What processes of this stack may use while nobody asks anything, as a share of a core. */
const wantedMax = 0.003
const settleSeconds = 30
const seconds = 60

/** Processor time of every process of a stack that nobody asks anything, of one core: polls, timers, heartbeats. It has a goal and no floor. */
export async function idle({ processes, tell }: Bench): Promise<Result[]> {
  tell(`waiting ${settleSeconds} s, then watching ${seconds} s in which nothing is asked`)
  await sleep(settleSeconds * 1_000)
  const before = processorMsByName(processes)
  await sleep(seconds * 1_000)
  const used = usedBetween(before, processorMsByName(processes))
  used.delete('bench')
  const shares = [...used].map(([name, ms]) => [name, ms / (seconds * 1_000)] as const)
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  const shown = shares.filter(([, share]) => share >= 0.0001).toSorted(([, one], [, other]) => other - one)
  tell(`idle processor time, of one core: ${shown.map(([name, share]) => `${name} ${percent(share)}`).join(', ')}`)
  const over = shown.filter(([, share]) => share > wantedMax).map(([name]) => name)
  const most = Math.max(0, ...shares.map(([, share]) => share))
  return [
    {
      name: 'idle process, the busiest',
      unit: '‰',
      ours: most * 1_000,
      floor: wantedMax * 1_000,
      ratio: most === 0 ? 1 : wantedMax / most,
      floorIs: `not a floor: what each process may use, of a core; over it: ${over.join(', ') || 'none'}`,
    },
  ]
}
