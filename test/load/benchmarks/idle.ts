import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { processorMsByName, usedBetween } from '../processor-time.ts'
import type { Result } from '../result.ts'

/** The largest processor time of one process without requests, as a share of a core. */
const shareMax = 0.003
const settleSeconds = 30
const seconds = 60

/** The processor time of every process of a stack without requests, as a share of a core: polls, timers, heartbeats. It has a goal and no floor. */
export async function idle({ processes, print }: Bench): Promise<Result[]> {
  print(`waiting ${settleSeconds} s, then measuring ${seconds} s without requests`)
  await sleep(settleSeconds * 1_000)
  const before = processorMsByName(processes)
  await sleep(seconds * 1_000)
  const used = usedBetween(before, processorMsByName(processes))
  used.delete('bench')
  const shares = [...used].map(([name, ms]) => [name, ms / (seconds * 1_000)] as const)
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`
  const shown = shares.filter(([, share]) => share >= 0.0001).toSorted(([, one], [, other]) => other - one)
  print(`idle processor time, of one core: ${shown.map(([name, share]) => `${name} ${percent(share)}`).join(', ')}`)
  const over = shown.filter(([, share]) => share > shareMax).map(([name]) => name)
  const most = Math.max(0, ...shares.map(([, share]) => share))
  return [
    {
      name: 'idle process, the busiest',
      unit: '‰',
      ours: most * 1_000,
      floor: shareMax * 1_000,
      ratio: most === 0 ? 1 : shareMax / most,
      floorIs: `not a floor: the maximum of each process, of a core; above it: ${over.join(', ') || 'none'}`,
    },
  ]
}
