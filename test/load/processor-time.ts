import { readFileSync, readdirSync } from 'node:fs'
import { ignoring } from '@lettergate/fault'

const ticksMs = 10

export interface NamedProcess {
  name: string
  pid: number
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    ignoring(error, 'the process or thread has ended')
    return ''
  }
}

/** From the scheduler's nanoseconds of each thread, because the ticks of `stat` are too coarse for a short turn. */
function ownMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.reduce(
      (sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6,
      0,
    )
  } catch (error) {
    ignoring(error, 'the process has ended')
    return 0
  }
}

/** The fields of `stat` after the process name: state, parent, … The name can contain any character. */
const statOf = (pid: number) =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')

const endedMs = (pid: number) => (Number(statOf(pid)[13]) + Number(statOf(pid)[14])) * ticksMs

/** The children of these processes: pid → pid of the parent. */
function childrenOf(pids: readonly number[]): Map<number, number> {
  const parents = new Set(pids)
  const children = readdirSync('/proc').flatMap((name): [number, number][] => {
    const pid = Number(name)
    const parent = Number.isInteger(pid) ? Number(statOf(pid)[1]) : 0
    return parents.has(parent) ? [[pid, parent]] : []
  })
  return new Map(children)
}

function driverMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * Milliseconds of processor time that these processes, their children and this process have used so far. Linux only;
 * undefined elsewhere.
 */
export function processorMs(pids: readonly number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  const living = [...new Set([...pids, ...childrenOf(pids).keys()])].reduce((sum, pid) => sum + ownMs(pid), 0)
  const ended = pids.reduce((sum, pid) => sum + endedMs(pid), 0)
  return living + ended + driverMs()
}

/**
 * The same by process: `postgres: campaigns` for the sessions of a role, `postgres: checkpointer` and similar names for
 * background processes of the server, `bench` for this process. Linux only; empty elsewhere.
 */
export function processorMsByName(processes: readonly NamedProcess[]): Map<string, number> {
  const used = new Map<string, number>()
  if (process.platform !== 'linux') return used
  const add = (name: string, ms: number) => void used.set(name, (used.get(name) ?? 0) + ms)
  const children = childrenOf(processes.map(({ pid }) => pid))
  for (const { name, pid } of processes) {
    add(name, ownMs(pid))
    add(`${name}: ended`, endedMs(pid))
  }
  for (const [pid, parent] of children)
    add(childName(processes.find((each) => each.pid === parent)!.name, pid), ownMs(pid))
  add('bench', driverMs())
  return used
}

/** The title of a PostgreSQL session is `postgres: <role> <database> <address>(<port>) <state>`; other processes have the name of their task. */
function childName(parent: string, pid: number): string {
  const title = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  if (!title.startsWith('postgres: ')) return parent
  return /^postgres: \S+(?= \S+ [\d.:]+\(\d+\))/.exec(title)?.[0] ?? title.replace(/ \d+$/, '')
}

/** Processor time between two readings. The use of an ended child before the first reading is subtracted from `… : ended`. */
export function usedBetween(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const used = new Map<string, number>()
  for (const [name, ms] of after) used.set(name, ms - (before.get(name) ?? 0))
  for (const [name, ms] of before) if (!after.has(name)) used.set(name, -ms)
  for (const [name, ms] of used) {
    if (ms >= 0) continue
    const ended = name.replace(/:.*$/, '') + ': ended'
    used.delete(name)
    used.set(ended, (used.get(ended) ?? 0) + ms)
  }
  return used
}
