import type { Database, Em } from '@lettergate/database'
import { consume, type Bus } from '@lettergate/events'
import { gauge, repeat, type CallScope, type Caller, type Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { serveRpc } from '@lettergate/rpc'
import type { WorkerCtx } from './automation-emails/send-automation-emails.ts'
import { waitingEmails } from './automation-emails/waiting-emails.ts'
import { workAfterAnswer } from './automation-emails/work-after-answer.ts'
import { onConsentGranted } from './person-events/on-consent-granted.ts'
import { startConfirmations } from './confirmations/start-confirmations.ts'
import { onConsentWithdrawn } from './contacts/on-consent-withdrawn.ts'
import { onSuppressionAdded } from './contacts/on-suppression-added.ts'
import { purgeRefusals } from './contacts/heard-refusal.entity.ts'
import type { Ctx } from './ctx.ts'
import type { DeliveryDeps } from './delivery/deliver-batches.ts'
import { startDelivery } from './delivery/start-delivery.ts'
import { onContactErased } from './erasure/on-contact-erased.ts'
import { alertOverdueLookups, overdueLookups } from './events/alert-overdue-lookups.ts'
import { onProviderEventReceived } from './events/on-provider-event-received.ts'
import { settleUnknown } from './events/settle-unknown.ts'
import { purgeSnapshotFailures } from './schedule/snapshot-job.entity.ts'
import { workerOperations } from './operations.ts'
import { startSnapshots } from './schedule/start-snapshots.ts'
import { startSyntheticRehearsals } from './synthetic-rehearsals/start-synthetic-rehearsals.ts'
import { startWaitingWork } from './start-waiting-work.ts'
import { startTesting } from './testing/start-testing.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

interface Parts {
  db: Database
  bus: Bus
  rpcPort: number
  ctx: { ofCall: (scope: CallScope) => Ctx; ofEvent: (caller: Caller) => Ctx; ofSystem: (job: string) => Ctx }
}

const purgeEveryMs = 10_000

/** Starts everything of the worker role: delivery, snapshots, event consumers, the jobs of each feature and its calls. */
export async function startWorkerRole(
  service: Service,
  { db, bus, ctx, rpcPort }: Parts,
): Promise<{ rpcPort: number }> {
  const work = await startWaitingWork(service, { bus, ctx })
  const delivery = await startDelivery(service, { bus, ctx, work })
  const settling = oneByOne(service, 'settle-unknown')
  await service.use(
    work.job('settle-unknown', {
      everyMs: 5_000,
      waiting: "select from hand_offs where state = 'unknown' and next_lookup_at <= now()",
      run: () => settleUnknown(ctx.ofSystem('settle-unknown'), settling),
    }),
  )
  const overdue = oneByOne(service, 'alert-overdue-lookups')
  await service.use(
    work.job('alert-overdue-lookups', {
      everyMs: 15_000,
      waiting: overdueLookups,
      run: () => alertOverdueLookups(ctx.ofSystem('alert-overdue-lookups'), overdue),
    }),
  )
  await startConfirmations(service, { db, bus, ctx, work, delivery })
  await startTesting(service, { db, bus, ctx, work })
  await service.use(startWebhooks(service, { ctx, work }))
  await service.use(consume(service, { bus, db, consumer: onProviderEventReceived, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onConsentGranted, ctxOf: ctx.ofEvent }))
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
  await startSyntheticRehearsals(service, { ctx, work })
  const rpc = await serveAutomationEmails(service, { ctx, delivery, rpcPort })
  return { rpcPort: rpc.port }
}

/** Serves the emails of automations. Calls to the provider that outlast their answer end before the worker stops. */
async function serveAutomationEmails(
  service: Service,
  { ctx, delivery, rpcPort }: Pick<Parts, 'ctx' | 'rpcPort'> & { delivery: DeliveryDeps },
): Promise<{ port: number }> {
  const afterAnswer = await service.use(workAfterAnswer(service.log))
  const waiting = waitingEmails()
  gauge(service, {
    name: 'lettergate_automation_emails_due',
    help: 'Emails of automation steps that this worker was asked to send and has no capacity for, or is sending: what workers are scaled on, together with lettergate_batches_due',
    read: async () => waiting.count(service.now().getTime()),
  })
  const automationDelivery = { delivery, afterAnswer, waiting }
  return service.use(
    serveRpc(service, {
      port: rpcPort,
      rpc: AutomationEmails,
      operations: workerOperations,
      ctxOf: (scope: CallScope): WorkerCtx => Object.assign(ctx.ofCall(scope), { automationDelivery }),
    }),
  )
}
