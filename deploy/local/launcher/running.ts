import { join } from 'node:path'
import type { Config } from './config.ts'
import { environmentOf, labelOf, planProcesses, surroundingsOf, type ProcessPlan } from './processes.ts'
import { startProcess, stopProcess } from './run-process.ts'
import { ownSecrets, writeStack, type RunningProcess, type Stack } from './state.ts'

/** How a process of a running stack was started; `ports` gives a further replica of it ports of its own. */
export function planOf(
  config: Config,
  stack: Stack,
  label: string,
  ports: Readonly<Record<string, number>> = {},
): ProcessPlan {
  const surroundings = surroundingsOf(config, ownSecrets(config.stateDirectory), {
    databaseUrl: stack.database_url,
    natsUrl: stack.nats_url,
  })
  const plan = planProcesses({ ...surroundings, port: (name) => ports[name] ?? stack.ports[name]! }).find(
    (each) => labelOf(each) === label,
  )
  if (!plan) throw new Error(`a stack has no process ${label}`)
  return plan
}

/** Starts a process beside those of a running stack; `stack.json` knows it from then on, so that `down` ends it. Does not wait for it. */
export function startBeside(config: Config, stack: Stack, plan: ProcessPlan, logName: string): RunningProcess {
  const log = join(config.stateDirectory, 'logs', `${logName}.log`)
  const pid = startProcess(plan.main, environmentOf(config, plan), log)
  const started = { name: plan.name, role: plan.role, pid, health_url: plan.healthUrl, log }
  stack.processes.push(started)
  writeStack(config.stateDirectory, stack)
  return started
}

/** Stops such a process; the stack is what it was before. */
export async function stopBeside(config: Config, stack: Stack, running: RunningProcess): Promise<void> {
  await stopProcess(running.pid, 'SIGTERM', 25_000)
  stack.processes.splice(stack.processes.indexOf(running), 1)
  writeStack(config.stateDirectory, stack)
}

/** Starts a process again that has ended, with the same settings. Does not wait for it. */
export function startAgain(config: Config, stack: Stack, running: RunningProcess, plan: ProcessPlan): void {
  running.pid = startProcess(plan.main, environmentOf(config, plan), running.log)
  writeStack(config.stateDirectory, stack)
}
