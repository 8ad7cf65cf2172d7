import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { until } from '@lettergate/stage'
import type { RunningStage } from './running-stage.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** As the launcher starts a process. */
const youngGeneration = '--max-semi-space-size=16'

/** Starts workers in their own processes, as in production, that can be killed. */
export function workerProcesses(s: () => RunningStage) {
  const workers: ChildProcess[] = []

  async function kill(child: ChildProcess) {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  return {
    /** Resolves when the worker is ready. */
    start: async (env: Record<string, string> = {}) => {
      const own = { ...s().env, ROLE: 'worker', LOG_LEVEL: 'info', IMPORT_LEASE_SECONDS: '1', ...env }
      const child = spawn(process.execPath, [youngGeneration, main], {
        env: { PATH: process.env['PATH'], ...s().stage.environment('imports', own) },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      workers.push(child)
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-20_000)))
      const isReady = () =>
        output.includes('"msg":"ready"') ||
        Promise.reject(new Error(`exit ${child.exitCode}, it said: ${output.slice(-2_000)}`))
      await until(isReady, { what: 'the worker to be ready' })
      return {
        killed: () => kill(child),
        /** Memory of the process in megabytes; undefined where the system does not tell. */
        memoryMb: () => memoryOf(child.pid!),
      }
    },
    killAll: () => Promise.all(workers.splice(0).map(kill)),
  }
}

function memoryOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}
