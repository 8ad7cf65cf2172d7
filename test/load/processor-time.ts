import { readFileSync, readdirSync } from 'node:fs'
import { ignoring } from '@lettergate/fault'

const ticksMs = 10

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    ignoring(error, 'a process or a thread has ended meanwhile')
    return ''
  }
}

/** By the thread's own clock, in nanoseconds; the ticks of `stat` would be too coarse for a short turn. */
function ownMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return threads.reduce(
      (sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6,
      0,
    )
  } catch (error) {
    ignoring(error, 'the process has ended meanwhile')
    return 0
  }
}

/** The fields of `stat` after the name, which may hold anything: state, parent, … */
const statOf = (pid: number) =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')

/**
 * Milliseconds of processor time that these processes and their children have used so far, and this one, which drives
 * them. Linux only; undefined elsewhere.
 */
export function processorMs(pids: readonly number[]): number | undefined {
  if (process.platform !== 'linux') return undefined
  const parents = new Set(pids)
  const children = readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return Number.isInteger(pid) && parents.has(Number(statOf(pid)[1])) ? [pid] : []
  })
  const living = [...new Set([...pids, ...children])].reduce((sum, pid) => sum + ownMs(pid), 0)
  const ended = pids.reduce((sum, pid) => sum + (Number(statOf(pid)[13]) + Number(statOf(pid)[14])) * ticksMs, 0)
  const { user, system } = process.cpuUsage()
  return living + ended + (user + system) / 1_000
}
