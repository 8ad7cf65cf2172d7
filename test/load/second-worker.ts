import type { LauncherConfig } from '@lettergate/local/launcher/config'
import { planOf, startBeside, stopBeside } from '@lettergate/local/launcher/running'
import { waitReady } from '@lettergate/local/launcher/run-process'
import type { RunningProcess, Stack } from '@lettergate/local/launcher/state'
import { freePort } from '@lettergate/stage/ports'

export const secondWorkerName = 'campaigns-delivery-worker-2'

/** Starts a second delivery worker with the settings of the stack's worker. Resolves when it is ready. */
export async function startSecondWorker(
  config: LauncherConfig,
  stack: Stack,
): Promise<{ running: RunningProcess; healthPort: number; stop(): Promise<void> }> {
  const label = 'campaigns-delivery-worker'
  const healthPort = await freePort()
  const plan = planOf(config, stack, label, { [`${label}.health`]: healthPort, [`${label}.rpc`]: 0 })
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
