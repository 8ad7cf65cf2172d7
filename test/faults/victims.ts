import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { startBroker } from '@lettergate/local/launcher/broker'
import type { LauncherConfig } from '@lettergate/local/launcher/config'
import type { ProcessPlan } from '@lettergate/local/launcher/processes'
import { isRunning } from '@lettergate/local/launcher/run-process'
import { planOf, startAgain } from '@lettergate/local/launcher/running'
import { ownSecrets, writeStack, type RunningProcess, type Stack } from '@lettergate/local/launcher/state'
import type { Victim } from './plan-kills.ts'

/** The parts of a stack that can be killed. */
export interface Killable {
  config: LauncherConfig
  stack: Stack
  /** an administrator of the database */
  database: pg.Client
  secondWorker: { running: RunningProcess; healthPort: number }
}

/** Kills one part with no warning and starts it again at once, as an orchestrator does; answers what was done. Does not wait until it is ready. */
export function kill(killable: Killable, victim: Victim): Promise<string> {
  const { config, stack, secondWorker } = killable
  const worker = 'campaigns-delivery-worker'
  switch (victim) {
    case 'worker 1': {
      const first = stack.processes.find(({ name, role }) => name === 'campaigns-delivery' && role === 'worker')!
      return killProcess(killable, first, planOf(config, stack, worker))
    }
    case 'worker 2':
      return killProcess(
        killable,
        secondWorker.running,
        planOf(config, stack, worker, { [`${worker}.health`]: secondWorker.healthPort, [`${worker}.rpc`]: 0 }),
      )
    case 'contacts-consent':
      return killProcess(
        killable,
        stack.processes.find(({ name }) => name === 'contacts-consent')!,
        planOf(config, stack, 'contacts-consent'),
      )
    case 'nats-server':
      return killBroker(killable)
    case 'database sessions':
      return endSessions(killable)
  }
}

async function killProcess({ config, stack }: Killable, running: RunningProcess, plan: ProcessPlan): Promise<string> {
  const { pid } = running
  await killNow(pid)
  startAgain(config, stack, running, plan)
  return `pid ${pid} killed, ${running.pid} started`
}

async function killBroker({ config, stack }: Killable): Promise<string> {
  const server = stack.infrastructure.find(({ name }) => name === 'nats')!
  const { pid } = server
  await killNow(pid)
  const directory = config.stateDirectory
  const started = await startBroker({
    directory,
    secrets: ownSecrets(directory),
    port: stack.ports['nats']!,
    print: () => undefined,
  })
  server.pid = started.pid
  writeStack(directory, stack)
  return `pid ${pid} killed, ${server.pid} started`
}

async function endSessions({ database }: Killable): Promise<string> {
  const { rowCount } = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'client backend' and datname = current_database() and usename <> current_user`,
  )
  return `${rowCount} sessions of the services ended`
}

async function killNow(pid: number): Promise<void> {
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await sleep(20)
}
