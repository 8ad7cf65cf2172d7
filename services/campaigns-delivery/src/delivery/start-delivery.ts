import type { Bus } from '@lettergate/events'
import type { CallScope, Service } from '@lettergate/service'
import { oneByOne, type OneByOne } from '@lettergate/service/one-by-one'
import { alertLongCooldowns } from '../connections/alert-long-cooldowns.ts'
import type { Ctx } from '../ctx.ts'
import { unreadableGates } from '../gates/alert-unreadable.ts'
import { gates as openGates } from '../gates/gates.ts'
import { onGateChanged } from '../gates/on-gate-changed.ts'
import { readinessChecks as openReadinessChecks } from '../gates/run-readiness.ts'
import { alertStalledRuns } from '../runs/alert-stalled-runs.ts'
import { checkEnds, checkEndsAgain, runsWithoutEnd } from '../runs/check-ends.ts'
import { endLeftovers } from '../runs/end-leftovers.ts'
import { releaseHeldRuns } from '../runs/release-held-runs.ts'
import { startDueRuns } from '../runs/start-due-runs.ts'
import type { WaitingWork } from '../waiting-work.ts'
import { callsUnderWay } from './calls-under-way.ts'
import type { DeliveryDeps } from './deliver-batches.ts'
import { openDeliveryGauges } from './delivery-gauges.ts'
import { messageContents } from './message-content.ts'
import { publishDueBatches } from './publish-due-batches.ts'
import { deliveryQueue } from './queue.ts'
import { recallLostBatches } from './recall-lost-batches.ts'
import { sweep, sweptSigns } from './sweep.ts'
import { startWorker } from './worker.ts'

interface Parts {
  bus: Bus
  work: WaitingWork
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
}

/** How often batches are published, and how soon after a worker runs low. Choosing them takes at most a fifth of the time of the database. */
const publishEveryMs = 250
const publishSoonMs = 20
const publishingShare = 0.2

/** A query that finds a row while a run is being sent and nothing holds it. */
const unheldRuns = "select from campaign_runs where state = 'sending' and held_by is null"

/** Starts the delivery worker and the jobs of runs. The worker is stopped last, after its calls have finished. */
export async function startDelivery(service: Service, { bus, ctx, work }: Parts): Promise<DeliveryDeps> {
  const system = ctx.ofSystem('deliver')
  const { config } = system
  const gates = openGates(system.identity, { onUnreadable: unreadableGates(ctx.ofSystem('watch-gates')) })
  const readinessChecks = openReadinessChecks(system, gates)
  openDeliveryGauges(service, ctx.ofSystem('metrics'), gates.ageMs)
  const queue = deliveryQueue(bus, service.log)
  const delivery: DeliveryDeps = {
    ctxOf: ctx.ofCall,
    readinessChecks,
    contentOf: messageContents(),
    calls: callsUnderWay(config.deliveryCallsAtOnce),
    limits: config.connectionLimits,
  }

  let tookMs = 0
  const onNeed = debounced(
    () => Math.max(publishSoonMs, tookMs / publishingShare),
    () => publishing.wake(),
  )
  const worker = await service.use(
    startWorker(service, { queue, system, delivery, concurrency: config.deliveryConcurrency, onNeed }),
  )
  const publishing = await service.use(
    work.job('publish-due-batches', {
      everyMs: publishEveryMs,
      waiting: unheldRuns,
      run: async () => {
        tookMs = await publishDueBatches(ctx.ofSystem('publish-due-batches'), queue, worker)
      },
    }),
  )
  const wakeIf = (count: number) => {
    if (count > 0) publishing.wake()
  }
  await service.use(
    work.job('recall-lost-batches', {
      everyMs: 2_000,
      waiting: unheldRuns,
      run: async () => wakeIf(await recallLostBatches(ctx.ofSystem('recall-lost-batches'), !(await queue.depth()))),
    }),
  )
  const starting = oneByOne(service, 'start-due-runs')
  await service.use(
    work.job('start-due-runs', {
      everyMs: 500,
      waiting: "select from campaign_runs where state = 'scheduled' and scheduled_for <= now()",
      run: async () => wakeIf(await startDueRuns(ctx.ofSystem('start-due-runs'), ctx.ofCall, starting)),
    }),
  )
  const released = oneByOne(service, 'release-held-runs')
  const releasing = await service.use(
    work.job('release-held-runs', {
      everyMs: 1_000,
      waiting: "select from campaign_runs where state = 'sending' and held_by is not null",
      run: async () => wakeIf(await releaseHeldRuns(ctx.ofSystem('release-held-runs'), readinessChecks, released)),
    }),
  )
  const inTurn = (
    name: string,
    { everyMs, waiting }: { everyMs: number; waiting: string },
    job: (ctx: Ctx, each: OneByOne) => Promise<void>,
  ) => {
    const each = oneByOne(service, name)
    return service.use(work.job(name, { everyMs, waiting, run: () => job(ctx.ofSystem(name), each) }))
  }
  await inTurn('sweep', { everyMs: 2_000, waiting: sweptSigns }, sweep)
  const leftovers = 'select from campaign_runs where has_leftovers'
  await inTurn('end-leftovers', { everyMs: 2_000, waiting: leftovers }, endLeftovers)
  const unchecked =
    "select from campaign_runs where ends_checked_at is null and state in ('completed', 'cancelled', 'unscheduled', 'failed')"
  await inTurn('check-ends', { everyMs: 10_000, waiting: unchecked }, checkEnds)
  await inTurn('check-ends-again', { everyMs: 2_000, waiting: runsWithoutEnd }, checkEndsAgain)
  await inTurn('alert-stalled-runs', { everyMs: 60_000, waiting: unheldRuns }, alertStalledRuns)
  const cooling = 'select from connection_holds where failures > 0 and until > now()'
  await inTurn('alert-long-cooldowns', { everyMs: 15_000, waiting: cooling }, alertLongCooldowns)
  await service.use(
    onGateChanged(bus, (workspaceIds) => {
      system.changes.record(workspaceIds)
      if (!workspaceIds) gates.drop()
      readinessChecks.drop(workspaceIds)
      releasing.wake()
    }),
  )
  return delivery
}

/** Runs `work` once after a delay. Calls during the delay are merged. */
function debounced(inMs: () => number, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined
      work()
    }, inMs())
  }
}
