import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '@lettergate/local/launcher/run-process'
import { readStack, type Stack } from '@lettergate/local/launcher/state'
import { loadConfig } from '@lettergate/stage/config'
import { freePort } from '@lettergate/stage/ports'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'

export interface CommandOutcome {
  status: number
  output: string
}

/** A stack of processes of its own, as `make up` starts it: own state directory, port, database server and NATS. */
export interface OwnStack {
  readonly directory: string
  readonly port: number
  /** The current content of `stack.json`. */
  stack(): Stack
  /** `make up`, `make down` or `make status`, optionally with more environment variables. */
  make(target: 'up' | 'observe' | 'down' | 'status', env?: Record<string, string>): Promise<CommandOutcome>
  /** Like make, but throws with the output unless the command succeeds. */
  ok(target: 'up' | 'observe' | 'down' | 'status', env?: Record<string, string>): Promise<string>
  /** The pids of the stack that still run, with its servers. */
  running(pids?: readonly number[]): number[]
  /** Stops the stack, deletes its data, and fails if a process still runs. */
  close(): Promise<void>
}

const root = new URL('../..', import.meta.url).pathname
const launcher = join(root, 'deploy/local/launcher/main.ts')

/** Prepares a stack; `make('up')` starts it. Settings of the caller's own stack do not affect it. */
export async function ownStack(env: Record<string, string> = {}): Promise<OwnStack> {
  const { compileCache, stacksDirectory } = loadConfig()
  const directory = scratchDirectory('lettergate-stack-', stacksDirectory)
  const port = await freePort()
  const started = new Set<number>()
  const { PATH, HOME, LANG } = process.env
  const base = {
    ...Object.fromEntries(Object.entries({ PATH, HOME, LANG }).filter((entry) => entry[1] !== undefined)),
    LETTERGATE_STATE_DIR: directory,
    LETTERGATE_PORT: String(port),
    // Without the compile cache the start of a stack takes 50 % longer.
    ...compileCache,
    ...env,
  }
  const stack = () => readStack(directory)!
  const running = (pids: readonly number[] = [...started]) => pids.filter(isRunning)

  async function make(target: string, more: Record<string, string> = {}): Promise<CommandOutcome> {
    const outcome = await new Promise<CommandOutcome>((resolve) => {
      const command = [launcher, target]
      execFile(process.execPath, command, { cwd: root, env: { ...base, ...more } }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
      )
    })
    if (existsSync(join(directory, 'stack.json'))) {
      for (const { pid } of [...stack().processes, ...stack().infrastructure]) started.add(pid)
    }
    return outcome
  }

  return {
    directory,
    port,
    stack,
    make,
    async ok(target, more) {
      const { status, output } = await make(target, more)
      if (status !== 0) throw new Error(`make ${target} ended with ${status}:\n${output}\n${logTails(directory)}`)
      return output
    },
    running,
    async close() {
      await make('down')
      const left = running()
      for (const pid of left) process.kill(pid, 'SIGKILL')
      rmSync(directory, { recursive: true, force: true })
      if (left.length > 0) throw new Error(`processes were left after down: ${left.join(', ')}`)
    },
  }
}

function logTails(directory: string): string {
  if (!existsSync(join(directory, 'stack.json'))) return ''
  return (readStack(directory)?.processes ?? [])
    .filter(({ pid }) => !isRunning(pid))
    .map(({ name, log }) => `--- ${name}\n${readFileSync(log, 'utf8').split('\n').slice(-8).join('\n')}`)
    .join('\n')
}
