import type { Service } from '@lettergate/service'
import type { Config } from '../src/config.ts'
import { startSnapshots } from '../src/schedule/start-snapshots.ts'
import { openParts } from '../src/service.ts'
import { startWaitingWork } from '../src/start-waiting-work.ts'

/** Starts only the snapshot part of a worker, so that tests decide when delivery starts. */
export async function startBuilder(service: Service, config: Config) {
  const { bus, ctx } = await openParts(service, config)
  const work = await startWaitingWork(service, { bus, ctx })
  await service.use(startSnapshots(service, { ctx, work }))
  return {}
}
