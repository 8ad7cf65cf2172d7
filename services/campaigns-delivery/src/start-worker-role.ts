import type { Database, Em } from '@lettergate/database'
import { consume, type Bus } from '@lettergate/events'
import { repeat, type CallScope, type Caller, type Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import { onConsentWithdrawn } from './contacts/on-consent-withdrawn.ts'
import { onSuppressionAdded } from './contacts/on-suppression-added.ts'
import { purgeRefusals } from './contacts/refusal-heard.entity.ts'
import type { Ctx } from './ctx.ts'
import { startDelivery } from './delivery/start-delivery.ts'
import { onContactErased } from './erasure/on-contact-erased.ts'
import { onProviderEventReceived } from './events/on-provider-event-received.ts'
import { settleUnknown } from './events/settle-unknown.ts'
import { purgeSnapshotFailures } from './schedule/snapshot-job.entity.ts'
import { startSnapshots } from './schedule/start-snapshots.ts'
import { startWaitingWork } from './start-waiting-work.ts'
import { startTesting } from './testing/start-testing.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

interface Parts {
  db: Database
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofEvent: (caller: Caller) => Ctx; ofSystem: (job: string) => Ctx }
}

const purgeEveryMs = 10_000

/** Starts everything of the worker role: delivery, snapshots, event consumers and the jobs of each feature. */
export async function startWorkerRole(service: Service, { db, bus, ctx }: Parts): Promise<void> {
  const work = await startWaitingWork(service, { bus, ctx })
  await startDelivery(service, { bus, ctx, work })
  const settling = oneByOne(service, 'settle-unknown')
  await service.use(
    work.job('settle-unknown', {
      everyMs: 5_000,
      waiting: "select from hand_offs where state = 'unknown' and next_lookup_at <= now()",
      run: () => settleUnknown(ctx.ofSystem('settle-unknown'), settling),
    }),
  )
  await startTesting(service, { db, bus, ctx, work })
  await service.use(startWebhooks(service, { ctx, work }))
  await service.use(consume(service, { bus, db, consumer: onProviderEventReceived, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onConsentWithdrawn, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onSuppressionAdded, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onContactErased, ctxOf: ctx.ofEvent }))
  const purgeRegularly = (name: string, job: (em: Em) => Promise<number>) =>
    service.use(
      repeat(service, name, purgeEveryMs, async () => {
        await ctx.ofSystem(name).tx(job)
      }),
    )
  await purgeRegularly('purge-refusals', purgeRefusals)
  await purgeRegularly('purge-snapshot-failures', purgeSnapshotFailures)
  await service.use(startSnapshots(service, { ctx, work }))
}
