import { join } from 'node:path'
import type { LauncherConfig } from './config.ts'
import { environmentOf, labelOf, planProcesses, surroundingsOf, type ProcessPlan } from './processes.ts'
import { startProcess, stopProcess } from './run-process.ts'
import { ownSecrets, writeStack, type RunningProcess, type Stack } from './state.ts'

/** How a process of a running stack was started; `ports` are the ports of a further replica. */
export function planOf(
  config: LauncherConfig,
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

/** Starts a further process in a running stack and adds it to `stack.json`, so that `down` stops it. Does not wait for it. */
export function startBeside(config: LauncherConfig, stack: Stack, plan: ProcessPlan, logName: string): RunningProcess {
  const log = join(config.stateDirectory, 'logs', `${logName}.log`)
  const pid = startProcess(plan, environmentOf(config, plan), log)
  const started = { name: plan.name, role: plan.role, replica: plan.replica, pid, health_url: plan.healthUrl, log }
  stack.processes.push(started)
  writeStack(config.stateDirectory, stack)
  return started
}

/** Stops such a process and removes it from the stack. */
export async function stopBeside(config: LauncherConfig, stack: Stack, running: RunningProcess): Promise<void> {
  await stopProcess(running.pid, 'SIGTERM', 25_000)
  stack.processes.splice(stack.processes.indexOf(running), 1)
  writeStack(config.stateDirectory, stack)
}

/** Restarts a process that has ended, with the same settings. Does not wait for it. */
export function startAgain(config: LauncherConfig, stack: Stack, running: RunningProcess, plan: ProcessPlan): void {
  running.pid = startProcess(plan, environmentOf(config, plan), running.log)
  writeStack(config.stateDirectory, stack)
}
