import type { Service } from '@lettergate/service'
import type { Config } from '../src/config.ts'
import { startSnapshots } from '../src/schedule/start-snapshots.ts'
import { openParts } from '../src/service.ts'

/** What a worker does for snapshots and nothing else, so that tests say when a worker comes to deliver. */
export async function startBuilder(service: Service, config: Config) {
  const { ctx } = await openParts(service, config)
  await service.use(startSnapshots(service, { ctx }))
  return {}
}
