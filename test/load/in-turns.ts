import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { openDriver, type LoadCall, type CallCounts, type Driver } from './drive.ts'
import { processorMs } from './processor-time.ts'
import { countSpending } from './spending.ts'

const connections = 32
const roundSeconds = 2
const warmUpSeconds = 5
const warmUpCalls = 20_000
const warmUpsMax = 6

export interface Side {
  origin: string
  call: (n: number) => LoadCall
  /** Resolves when this side has no more work in the background, which would slow down the turn of the other side. */
  settled?: () => Promise<void>
}

export interface Comparison {
  /** the median of all rounds */
  ours: number
  floor: number
  /** the median of the ratios of the rounds: in one round both sides run at the same speed of the machine */
  ratio: number
  note: string
}

/** The names that the tables print. */
export interface Labels {
  name: string
  /** one call, such as `event` */
  unit: string
}

interface Turn {
  done: number
  perSecond: number
  failures: number
  /** for each call: all processes of the side and the driver, with the background work after the call; undefined where the system does not report it */
  processorMs: number | undefined
}

export const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!

/**
 * Sends calls to floor and Lettergate in turns: seven rounds (BENCH_ROUNDS) of two seconds each, from 32 connections. Before
 * the rounds both have an unmeasured warm-up, in which their processes compile code.
 */
export async function inTurns(
  bench: Bench,
  labels: Labels,
  { floor, ours }: { floor: Side; ours: Side },
): Promise<Comparison> {
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
  const compared = await compareInTurns(bench, labels, {
    floor: turnsOf(floor),
    ours: turnsOf(ours),
    rounds: bench.options.rounds,
  })
  await Promise.all(drivers.map((driver) => driver.close()))
  return compared
}

/** Sends calls for at least five seconds, until 20,000 calls are done or 30 seconds have passed: until then code is compiled. */
async function warmUp(driver: Driver): Promise<CallCounts> {
  let counted = await driver.run(warmUpSeconds)
  let calls = counted.done
  for (let more = 1; more < warmUpsMax && calls < warmUpCalls; more += 1) {
    counted = await driver.run(warmUpSeconds)
    calls += counted.done
  }
  return counted
}

type TakeTurn = (isWarmUp: boolean) => Promise<CallCounts>

/** Run before each turn of a side, and not measured. */
interface Prepare {
  floor: () => Promise<void>
  ours: () => Promise<void>
}

/**
 * Runs floor and Lettergate in turns, so that a change of the machine's speed affects both. The first turn of each is a
 * warm-up. The note has the ratio in processor time for each call, which other work on the machine changes little.
 */
export async function compareInTurns(
  bench: Bench,
  { name, unit }: Labels,
  { floor, ours, rounds, prepare }: { floor: TakeTurn; ours: TakeTurn; rounds: number; prepare?: Prepare },
): Promise<Comparison> {
  const { pids } = bench
  await prepare?.floor()
  await floor(true)
  await prepare?.ours()
  await ours(true)
  // A statement that was planned on empty tables may use a slow index. Autovacuum analyses a new table within minutes, possibly
  // during a benchmark, and the plan changes then.
  await bench.database.query('analyze')
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
    await prepare?.floor()
    const ofFloor = await turn(floor)
    await prepare?.ours()
    const ofOurs = await spending.during(
      () => turn(ours),
      ({ done }) => done,
    )
    turns.push({ floor: ofFloor, ours: ofOurs })
  }
  spending.print(name, unit)

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

/** Starts to measure; the returned function answers the processor time and the elapsed time since then. */
function openClock(pids: readonly number[]): () => { ms: number; elapsedMs: number } | undefined {
  const [usedBefore, began] = [processorMs(pids), performance.now()]
  return () =>
    usedBefore === undefined ? undefined : { ms: processorMs(pids)! - usedBefore, elapsedMs: performance.now() - began }
}

/** The processor time of all processes without requests, as a share of the elapsed time: polls and timers. */
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
