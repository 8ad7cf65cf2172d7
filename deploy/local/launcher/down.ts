import type { LauncherConfig } from './config.ts'
import { labelOf } from './processes.ts'
import { stopProcess } from './run-process.ts'
import { readStack, writeStack } from './state.ts'

/** Stops every process of the stack, each after the processes that depend on it, and keeps the data. */
export async function down(config: LauncherConfig, print: (line: string) => void): Promise<void> {
  const stack = readStack(config.stateDirectory)
  if (!stack) return print('nothing was started from this state directory')
  const first = ['edge', 'gateway', 'webhook-intake', 'lettergate']
  // it receives the last spans of the others
  const last = ['traces']
  const groups = [
    stack.processes.filter(({ name }) => first.includes(name)),
    stack.processes.filter(({ name }) => !first.includes(name) && !last.includes(name)),
    stack.processes.filter(({ name }) => last.includes(name)),
  ]
  for (const group of groups) {
    await Promise.all(
      group.map(async (running) => {
        await stopProcess(running.pid, 'SIGTERM', 25_000)
        print(`  ${labelOf(running)} stopped`)
      }),
    )
  }
  for (const server of stack.infrastructure) {
    await stopProcess(server.pid, 'SIGINT', 25_000)
    print(`  ${server.name} stopped`)
  }
  writeStack(config.stateDirectory, { ...stack, processes: [], fingerprints: {}, infrastructure: [] })
}
