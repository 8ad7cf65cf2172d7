import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig as launcherConfig } from '@lettergate/local/launcher/config'
import { isRunning, waitReady } from '@lettergate/local/launcher/run-process'
import { labelOf } from '@lettergate/local/launcher/processes'
import { planOf, startAgain } from '@lettergate/local/launcher/running'
import { readStack, type Stack } from '@lettergate/local/launcher/state'
import { until } from '@lettergate/stage/until'
import { loadConfig } from '@lettergate/stage/config'
import { freePort } from '@lettergate/stage/ports'
import { scratchDirectory } from '@lettergate/stage/scratch-directory'

type Target = 'up' | 'observe' | 'down' | 'status'

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
  make(target: Target, env?: Record<string, string>, checkout?: string): Promise<CommandOutcome>
  /** Like make, but throws with the output unless the command succeeds. `checkout` is the root of another release. */
  ok(target: Target, env?: Record<string, string>, checkout?: string): Promise<string>
  /** Stops one process with SIGTERM and waits as long as it takes, starts it again, and waits until it is ready. */
  restart(label: string): Promise<void>
  /** The pids of the stack that still run, with its servers. */
  running(pids?: readonly number[]): number[]
  /** Stops the stack, deletes its data, and fails if a process still runs. */
  close(): Promise<void>
}

const root = new URL('../..', import.meta.url).pathname

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

  async function make(target: string, more: Record<string, string> = {}, checkout = root): Promise<CommandOutcome> {
    const outcome = await new Promise<CommandOutcome>((resolve) => {
      const command = [join(checkout, 'deploy/local/launcher/main.ts'), target]
      execFile(process.execPath, command, { cwd: checkout, env: { ...base, ...more } }, (error, stdout, stderr) =>
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
    async ok(target, more, checkout) {
      const { status, output } = await make(target, more, checkout)
      if (status !== 0) throw new Error(`make ${target} ended with ${status}:\n${output}\n${logTails(directory)}`)
      return output
    },
    running,
    async restart(label) {
      const config = launcherConfig(base, {})
      const now = stack()
      const found = now.processes.find((each) => labelOf(each) === label)!
      process.kill(found.pid, 'SIGTERM')
      await until(() => !isRunning(found.pid), { what: `${label} to end` })
      startAgain(config, now, found, planOf(config, now, label))
      started.add(found.pid)
      await waitReady({ name: label, pid: found.pid, healthUrl: found.health_url, log: found.log }, 180_000)
    },
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
