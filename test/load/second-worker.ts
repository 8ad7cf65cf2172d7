import type { Config } from '@lettergate/local/launcher/config'
import { planOf, startBeside, stopBeside } from '@lettergate/local/launcher/running'
import { waitReady } from '@lettergate/local/launcher/run-process'
import type { RunningProcess, Stack } from '@lettergate/local/launcher/state'
import { freePort } from '@lettergate/stage/ports'

export const secondWorkerName = 'campaigns-delivery-worker-2'

/** One more delivery worker beside the stack's, with the same settings, as operators scale them. Resolves when it is ready. */
export async function startSecondWorker(
  config: Config,
  stack: Stack,
): Promise<{ running: RunningProcess; healthPort: number; stop(): Promise<void> }> {
  const label = 'campaigns-delivery-worker'
  const healthPort = await freePort()
  const plan = planOf(config, stack, label, { [`${label}.health`]: healthPort })
  const running = startBeside(config, stack, plan, secondWorkerName)
  const stop = () => stopBeside(config, stack, running)
  try {
    await waitReady(
      { name: 'the second delivery worker', pid: running.pid, healthUrl: running.health_url, log: running.log },
      60_000,
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { running, healthPort, stop }
}
