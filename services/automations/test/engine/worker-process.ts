import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '@lettergate/stage'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Starts a worker in its own process, as in production, and resolves when it is ready. */
export async function startWorkerProcess(env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env, ROLE: 'worker', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await until(() => output.includes('"msg":"ready"'), { what: 'a worker that is ready' })
  return {
    /** `kill -9` */
    async killed() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}
