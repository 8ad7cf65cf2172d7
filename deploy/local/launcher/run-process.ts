import { spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** MB, less than Node takes by itself: what many rows leave behind is collected sooner, and memory grows less with their number. */
const youngGeneration = '--max-semi-space-size=16'

const root = new URL('../../..', import.meta.url).pathname

/** Starts a TypeScript main as a process of its own that outlives this one; its output goes to the log file. */
export function startProcess(main: string, environment: Record<string, string>, log: string): number {
  const output = openSync(log, 'a')
  const preload = environment.OTEL_EXPORTER_OTLP_ENDPOINT ? ['--import', '@lettergate/service/telemetry'] : []
  const child = spawn(process.execPath, [youngGeneration, ...preload, main], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
  })
  child.unref()
  if (child.pid === undefined) throw new Error(`${main} could not be started`)
  return child.pid
}

/** Whether the process still runs, and is still ours: a pid is used again after a while. */
export function isRunning(pid: number): boolean {
  const shown = spawnSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  return shown !== '' && !shown.startsWith('Z') && /main\.ts|postgres|nats-server/.test(shown)
}

/** Asks a process to stop, and ends it when it has not after the time. */
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
    return (await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200
  } catch {
    return false
  }
}

/** Waits until a process is ready; when it ends or does not get there, the error shows the end of its log. */
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
        `${what.name} ${gone ? 'ended while starting' : `was not ready within ${withinMs / 1000} s`}. The end of ${what.log}:\n${tail}\nMend what it says, then run "make up" again.`,
      )
    }
    await sleep(100)
  }
}
