import type { Bus } from '@lettergate/events'
import { onWorkMade } from '@lettergate/events/wake-workers'
import type { Service } from '@lettergate/service'
import type { Ctx } from './ctx.ts'
import { findIn, watchForWork, type WaitingWork } from './waiting-work.ts'

interface Parts {
  bus: Bus
  ctx: { ofSystem: (job: string) => Ctx }
}

/** Starts the search for work of a worker's jobs: every second, and at once when the api announces new work. */
export async function startWaitingWork(service: Service, { bus, ctx }: Parts): Promise<WaitingWork> {
  const work = await service.use(watchForWork(service, findIn(ctx.ofSystem('look-for-work'))))
  await service.use(onWorkMade(bus, service.name, () => work.look()))
  return work
}
