import { spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { programOf, type ProcessPlan } from './processes.ts'

/**
 * Size of Node's young generation in MB. Most processes get less than Node's default, so that memory grows less with many rows.
 * The worker of campaigns-delivery holds thousands of events at once, and with 16 MB spends a fifth of its time on moving them.
 */
const youngGenerationMb = (plan: ProcessPlan) =>
  ['campaigns-delivery-worker', 'lettergate'].includes(programOf(plan)) ? 64 : 16

/**
 * Size of Node's old generation in MB. Node collects garbage more often below a small limit. With its default of several gigabytes
 * the memory of a process grew with the size of a snapshot, although less than 50 MB were in use.
 */
const oldGenerationMb = 512

/**
 * By how much the heap may grow, in percent of what is in use, until Node marks all of it again. Below a small limit Node lets it grow
 * less, and the worker of campaigns-delivery then spends a fifth of its time on marking.
 */
const growthPercent = 50

const root = new URL('../../..', import.meta.url).pathname

/** Starts the main of this plan as a process that continues after this one; its output goes to the log file. */
export function startProcess(plan: ProcessPlan, environment: Record<string, string>, log: string): number {
  const output = openSync(log, 'a')
  const preload = environment.OTEL_EXPORTER_OTLP_ENDPOINT ? ['--import', '@lettergate/service/telemetry'] : []
  const limits = [
    `--max-semi-space-size=${youngGenerationMb(plan)}`,
    `--max-old-space-size=${oldGenerationMb}`,
    `--heap-growing-percent=${growthPercent}`,
  ]
  const child = spawn(process.execPath, [...limits, ...preload, plan.main], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
  })
  child.unref()
  if (child.pid === undefined) throw new Error(`${plan.main} could not be started`)
  return child.pid
}

/** Whether the process still runs and belongs to the stack, because pids are reused. */
export const isRunning = (pid: number): boolean => /main\.ts|postgres|nats-server/.test(commandOf(pid))

/** The command of a process; empty when it has ended. A start asks for it a hundred times a second, too often to run `ps`. */
function commandOf(pid: number): string {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  const shown = spawnSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  return shown.startsWith('Z') ? '' : shown
}

/** Stops a process with SIGTERM, and with SIGKILL after the timeout. */
export async function stopProcess(pid: number, signal: 'SIGTERM' | 'SIGINT', withinMs: number): Promise<void> {
  if (!isRunning(pid)) return
  process.kill(pid, signal)
  const end = Date.now() + withinMs
  while (isRunning(pid)) {
    if (Date.now() > end) {
      process.kill(pid, 'SIGKILL')
      return
    }
    await sleep(100)
  }
}

export async function isReady(healthUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(10_000) })).status === 200
  } catch {
    return false
  }
}

/** Waits until a process is ready; if it ends or is not ready in time, the error shows the end of its log. */
export async function waitReady(
  what: { name: string; pid: number; healthUrl: string; log: string },
  withinMs: number,
): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await isReady(what.healthUrl))) {
    const gone = !isRunning(what.pid)
    if (gone || Date.now() > end) {
      const tail = readFileSync(what.log, 'utf8').split('\n').slice(-15).join('\n')
      throw new Error(
        `${what.name} ${gone ? 'ended while starting' : `was not ready within ${withinMs / 1000} s`}. The end of ${what.log}:\n${tail}\nFix the reported problem, then run "make up" again.`,
      )
    }
    await sleep(100)
  }
}
