import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { openDriver, type Call, type Counted, type Driver } from './drive.ts'
import { processorMs } from './processor-time.ts'
import { countSpending } from './spending.ts'

const connections = 32
const roundSeconds = 2
const warmUpSeconds = 5
const warmUpCalls = 5_000
const warmUpsMax = 6

export interface Side {
  origin: string
  call: (n: number) => Call
  /** Ends when nothing of it works on in the background, which would slow down the other's turn. */
  settled?: () => Promise<void>
}

export interface Compared {
  /** of all rounds */
  ours: number
  floor: number
  /** the median of what the rounds say, each of which saw one machine */
  ratio: number
  note: string
}

/** What is compared, as the tables call it. */
export interface Job {
  name: string
  /** one of what is counted */
  unit: string
}

interface Turn {
  done: number
  perSecond: number
  failures: number
  /** a call, of everything that runs for it and of the driver, in the background and afterwards too; undefined where that is not told */
  processorMs: number | undefined
}

export const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!

/**
 * Drives floor and ours in turns, seven rounds (BENCH_ROUNDS) of two seconds each from 32 connections. Both are warmed up before, which
 * does not count: processes compile themselves.
 */
export async function inTurns(bench: Bench, job: Job, { floor, ours }: { floor: Side; ours: Side }): Promise<Compared> {
  const drivers: Driver[] = []
  const turnsOf = ({ origin, call, settled }: Side) => {
    const driver = openDriver(origin, connections, call)
    drivers.push(driver)
    return async (isWarmUp: boolean) => {
      const counted = isWarmUp ? await warmUp(driver) : await driver.run(roundSeconds)
      await settled?.()
      return counted
    }
  }
  const compared = await compareInTurns(bench, job, {
    floor: turnsOf(floor),
    ours: turnsOf(ours),
    rounds: bench.options.rounds,
  })
  await Promise.all(drivers.map((driver) => driver.close()))
  return compared
}

/** Calls for five seconds, and on until there were 5,000 calls or half a minute is over: a loaded machine needs longer to compile. */
async function warmUp(driver: Driver): Promise<Counted> {
  let counted = await driver.run(warmUpSeconds)
  let calls = counted.done
  for (let more = 1; more < warmUpsMax && calls < warmUpCalls; more += 1) {
    counted = await driver.run(warmUpSeconds)
    calls += counted.done
  }
  return counted
}

type TakeTurn = (isWarmUp: boolean) => Promise<Counted>

/**
 * Lets floor and ours take turns, so that a machine that changes its speed does so under both; the first turn of each is a
 * warm-up. The note says what the same ratio is in processor time a call, which other work on the machine hardly moves.
 */
export async function compareInTurns(
  bench: Bench,
  { name, unit }: Job,
  { floor, ours, rounds }: { floor: TakeTurn; ours: TakeTurn; rounds: number },
): Promise<Compared> {
  const { pids } = bench
  await floor(true)
  await ours(true)
  const idle = await idleShare(pids)
  const turn = async (take: TakeTurn): Promise<Turn> => {
    const clock = openClock(pids)
    const { done, failures, perSecond } = await take(false)
    const used = clock()
    return { done, perSecond, failures, processorMs: used && (used.ms - idle * used.elapsedMs) / done }
  }
  const spending = countSpending(bench)
  const turns: { floor: Turn; ours: Turn }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ofFloor = await turn(floor)
    const ofOurs = await spending.during(
      () => turn(ours),
      ({ done }) => done,
    )
    turns.push({ floor: ofFloor, ours: ofOurs })
  }
  spending.tell(name, unit)

  const ratios = turns.map((each) => each.ours.perSecond / each.floor.perSecond)
  return {
    ours: median(turns.map((each) => each.ours.perSecond)),
    floor: median(turns.map((each) => each.floor.perSecond)),
    ratio: median(ratios),
    note: [
      `rounds ${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
      ...inProcessorTime(turns),
      ...failed(turns),
    ].join('; '),
  }
}

/** What is used from now on, and in how long. */
function openClock(pids: readonly number[]): () => { ms: number; elapsedMs: number } | undefined {
  const [usedBefore, began] = [processorMs(pids), performance.now()]
  return () =>
    usedBefore === undefined ? undefined : { ms: processorMs(pids)! - usedBefore, elapsedMs: performance.now() - began }
}

/** What all of them use when nobody asks anything, as a share of the time: polls and timers. */
async function idleShare(pids: readonly number[]): Promise<number> {
  const clock = openClock(pids)
  await sleep(roundSeconds * 1_000)
  const used = clock()
  return used ? used.ms / used.elapsedMs : 0
}

function inProcessorTime(turns: readonly { floor: Turn; ours: Turn }[]): string[] {
  const ratios = turns.flatMap(({ floor, ours }) =>
    floor.processorMs === undefined || ours.processorMs === undefined ? [] : [floor.processorMs / ours.processorMs],
  )
  if (ratios.length === 0) return []
  const us = (side: 'floor' | 'ours') => (median(turns.map((turn) => turn[side].processorMs ?? 0)) * 1_000).toFixed(0)
  return [`${median(ratios).toFixed(2)} in processor time (${us('ours')} µs, floor ${us('floor')} µs)`]
}

function failed(turns: readonly { floor: Turn; ours: Turn }[]): string[] {
  const failures = turns.reduce((sum, each) => sum + each.ours.failures + each.floor.failures, 0)
  return failures === 0 ? [] : [`${failures} FAILED`]
}
