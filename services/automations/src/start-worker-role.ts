import type { Database } from '@lettergate/database'
import { consume, type Bus } from '@lettergate/events'
import type { CallScope, Caller, Service } from '@lettergate/service'
import type { Ctx } from './ctx.ts'
import { alertFailingSteps } from './engine/alert-failing-steps.ts'
import { alertLateSteps } from './engine/alert-late-steps.ts'
import { startEngine } from './engine/start-engine.ts'
import { onAudienceSubscribed } from './enrollments/on-audience-subscribed.ts'
import { onContactDeleted } from './enrollments/on-contact-deleted.ts'
import { onContactErased } from './enrollments/on-contact-erased.ts'
import { onTagAdded } from './enrollments/on-tag-added.ts'
import { onTagRemoved } from './enrollments/on-tag-removed.ts'

interface Parts {
  db: Database
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofEvent: (caller: Caller) => Ctx; ofSystem: (job: string) => Ctx }
}

/** Starts the engine and the consumers of the worker role. */
export async function startWorkerRole(service: Service, { db, bus, ctx }: Parts): Promise<void> {
  await service.use(startEngine(service, { bus, ctx }))
  await service.use(alertLateSteps(service, ctx.ofSystem('alert-late-steps')))
  await service.use(alertFailingSteps(service, ctx.ofSystem('alert-failing-steps')))
  await service.use(consume(service, { bus, db, consumer: onAudienceSubscribed, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onTagAdded, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onTagRemoved, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onContactDeleted, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onContactErased, ctxOf: ctx.ofEvent }))
}
