import type { Database } from '@lettergate/database'
import { consume, type Bus } from '@lettergate/events'
import type { Caller, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { failOverdueRehearsals } from './fail-overdue-rehearsals.ts'
import { onWebhookTallied } from './on-webhook-tallied.ts'

interface Parts {
  db: Database
  bus: Bus
  work: WaitingWork
  ctx: { ofEvent: (caller: Caller) => Ctx; ofSystem: (job: string) => Ctx }
}

/** A worker that just started consumes waiting events first, because they may have arrived in time. */
const eventsFirstMs = 5_000

/** Starts the jobs and consumers of test sends and rehearsals in the worker role. */
export async function startTesting(service: Service, { db, bus, ctx, work }: Parts): Promise<void> {
  const mayFailFrom = performance.now() + eventsFirstMs
  await service.use(
    work.job('fail-overdue-rehearsals', {
      everyMs: 1_000,
      waiting: "select from rehearsals where state in ('pending', 'sent') and deadline_at <= now()",
      run: async () => {
        if (performance.now() >= mayFailFrom) await failOverdueRehearsals(ctx.ofSystem('fail-overdue-rehearsals'))
      },
    }),
  )
  await service.use(consume(service, { bus, db, consumer: onWebhookTallied, ctxOf: ctx.ofEvent }))
}
