import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '@lettergate/stage'
import type { DeliveryStage } from './delivery-stage.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Starts workers in their own processes, as in production, that can be killed and stopped. */
export function workerProcesses(rig: () => DeliveryStage) {
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
      const child = spawn(process.execPath, [main], {
        env: {
          PATH: process.env['PATH'],
          ...rig().stage.environment('campaigns-delivery', {
            ...rig().env,
            ROLE: 'worker',
            LOG_LEVEL: 'info',
            DELIVERY_HAND_OFF_TIMEOUT_MS: '4000',
            ...env,
          }),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      workers.push(child)
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const hasSaid = (what: string) => output.includes(what)
      const says = (what: string) =>
        until(
          () =>
            hasSaid(what) ||
            Promise.reject(new Error(`exit ${child.exitCode}, so far it said: ${output.slice(-2_000)}`)),
          {
            what: `the worker to say "${what}"`,
          },
        )
      await says('"msg":"ready"')
      return { says, hasSaid, killed: () => kill(child), signal: (name: 'SIGSTOP' | 'SIGCONT') => child.kill(name) }
    },
    killAll: () => Promise.all(workers.splice(0).map(kill)),
  }
}
