import type { LauncherConfig } from './config.ts'
import { labelOf } from './processes.ts'
import { isReady, isRunning } from './run-process.ts'
import { readStack } from './state.ts'

/** Prints a line for each process: its label, pid, and whether it is ready. Returns whether all are. */
export async function status(config: LauncherConfig, print: (line: string) => void): Promise<boolean> {
  const stack = readStack(config.stateDirectory)
  if (!stack || stack.processes.length === 0) {
    print('the stack is down; "make up" starts it')
    return false
  }
  const states = await Promise.all(
    stack.processes.map(async (running) => ({
      running,
      state: !isRunning(running.pid) ? 'not running' : (await isReady(running.health_url)) ? 'ready' : 'not ready',
    })),
  )
  for (const { running, state } of states)
    print(
      `${labelOf(running).padEnd(28)} ${String(running.pid).padStart(8)}  ${state.padEnd(12)} ${running.health_url}`,
    )
  return states.every(({ state }) => state === 'ready')
}
