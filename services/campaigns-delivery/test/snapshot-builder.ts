import type { Service } from '@lettergate/service'
import type { Config } from '../src/config.ts'
import { startSnapshots } from '../src/schedule/start-snapshots.ts'
import { openParts } from '../src/service.ts'

/** Starts only the snapshot part of a worker, so that tests decide when delivery starts. */
export async function startBuilder(service: Service, config: Config) {
  const { ctx } = await openParts(service, config)
  await service.use(startSnapshots(service, { ctx }))
  return {}
}
