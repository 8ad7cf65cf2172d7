import { join } from 'node:path'
import type { Config } from '@lettergate/local/launcher/config'
import { planProcesses } from '@lettergate/local/launcher/processes'
import { startProcess, stopProcess, waitReady } from '@lettergate/local/launcher/run-process'
import { ownSecrets, type Stack } from '@lettergate/local/launcher/state'
import { freePort } from '@lettergate/stage/ports'

/** One more delivery worker beside the stack's, with the same settings, as operators scale them. */
export async function startSecondWorker(config: Config, stack: Stack): Promise<{ pid: number; stop(): Promise<void> }> {
  const healthPort = await freePort()
  const plans = planProcesses({
    config,
    secrets: ownSecrets(config.stateDirectory),
    databaseUrl: stack.database_url,
    natsUrl: stack.nats_url,
    natsNamespace: '',
    natsHasUsers: true,
    port: (name) => (name === 'campaigns-delivery-worker.health' ? healthPort : stack.ports[name]!),
  })
  const plan = plans.find(({ name, role }) => name === 'campaigns-delivery' && role === 'worker')!
  const log = join(config.stateDirectory, 'logs', 'campaigns-delivery-worker-2.log')
  const pid = startProcess(plan.main, { ...config.environment, ...plan.environment }, log)
  const stop = () => stopProcess(pid, 'SIGTERM', 25_000)
  try {
    await waitReady({ name: 'the second delivery worker', pid, healthUrl: plan.healthUrl, log }, 60_000)
  } catch (error) {
    await stop()
    throw error
  }
  return { pid, stop }
}
