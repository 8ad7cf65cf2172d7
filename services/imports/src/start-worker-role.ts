import { purge } from '@lettergate/database/purge'
import type { Bus } from '@lettergate/events'
import { repeat, type CallScope, type Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from './ctx.ts'
import { expireImports } from './jobs/expire-imports.ts'
import { deleteUnownedChunks } from './payload/import-chunk.entity.ts'
import { startImports } from './running/start-imports.ts'
import { stopImports } from './running/stop-batches.ts'

interface Parts {
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
}

/** Longer than any upload takes. */
const unownedMinutes = 60
const everyFiveSecondsMs = 5_000
const everyMinuteMs = 60_000
const everyTenMinutesMs = 600_000

/** Starts the jobs of the worker role. */
export async function startWorkerRole(service: Service, { bus, ctx }: Parts): Promise<void> {
  await service.use(startImports(service, { bus, ctx }))
  const expiring = oneByOne(service, 'expire-imports')
  await service.use(
    repeat(service, 'expire-imports', everyMinuteMs, () => expireImports(ctx.ofSystem('expire-imports'), expiring)),
  )
  const stopping = oneByOne(service, 'stop-imports')
  await service.use(
    repeat(service, 'stop-imports', everyFiveSecondsMs, () => stopImports(ctx.ofSystem('stop-imports'), stopping)),
  )
  const purging = ctx.ofSystem('purge-import-chunks')
  await service.use(
    repeat(service, 'purge-import-chunks', everyTenMinutesMs, async () => {
      const { result } = await purge((most) =>
        purging.tx((em) => deleteUnownedChunks(em, { minutes: unownedMinutes, most })),
      )
      return result
    }),
  )
}
