import type { Bus } from '@lettergate/events'
import { repeat, type CallScope, type Service } from '@lettergate/service'
import { oneByOne, type OneByOne } from '@lettergate/service/one-by-one'
import { alertLongCooldowns } from '../connections/alert-long-cooldowns.ts'
import type { Ctx } from '../ctx.ts'
import { gates as openGates } from '../gates/gates.ts'
import { onGateChanged } from '../gates/on-gate-changed.ts'
import { readinessChecks as openReadinessChecks } from '../gates/run-readiness.ts'
import { checkEnds } from '../runs/check-ends.ts'
import { endLeftovers } from '../runs/end-leftovers.ts'
import { releaseHeldRuns } from '../runs/release-held-runs.ts'
import { startDueRuns } from '../runs/start-due-runs.ts'
import { callsUnderWay } from './calls-under-way.ts'
import type { DeliveryDeps } from './deliver-batch.ts'
import { openDeliveryGauges } from './delivery-gauges.ts'
import { messageContents } from './message-content.ts'
import { publishDueBatches } from './publish-due-batches.ts'
import { deliveryQueue } from './queue.ts'
import { recallLostBatches } from './recall-lost-batches.ts'
import { sweep } from './sweep.ts'
import { startWorker } from './worker.ts'

interface Parts {
  bus: Bus
  ctx: { ofCall: (scope: CallScope) => Ctx; ofSystem: (job: string) => Ctx }
}

/** How often batches are published, and how soon after a worker runs low. Publishing takes at most a fifth of the time. */
const publishEveryMs = 250
const publishSoonMs = 20
const publishingShare = 0.2

/** Starts the delivery worker and the jobs of runs. The worker is stopped last, after its calls have finished. */
export async function startDelivery(service: Service, { bus, ctx }: Parts): Promise<void> {
  const system = ctx.ofSystem('deliver')
  const { config } = system
  const gates = openGates(system.identity)
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
  const onNeed = soon(
    () => Math.max(publishSoonMs, tookMs / publishingShare),
    () => publishing.wake(),
  )
  const worker = await service.use(
    startWorker(service, { queue, system, delivery, concurrency: config.deliveryConcurrency, onNeed }),
  )
  const publishing = await service.use(
    repeat(service, 'publish-due-batches', publishEveryMs, async () => {
      const began = performance.now()
      await publishDueBatches(ctx.ofSystem('publish-due-batches'), queue, worker)
      tookMs = performance.now() - began
    }),
  )
  const wakeIf = (count: number) => {
    if (count > 0) publishing.wake()
  }
  await service.use(
    repeat(service, 'recall-lost-batches', 2_000, async () =>
      wakeIf(await recallLostBatches(ctx.ofSystem('recall-lost-batches'), !(await queue.depth()))),
    ),
  )
  const starting = oneByOne(service, 'start-due-runs')
  await service.use(
    repeat(service, 'start-due-runs', 500, async () =>
      wakeIf(await startDueRuns(ctx.ofSystem('start-due-runs'), ctx.ofCall, starting)),
    ),
  )
  const released = oneByOne(service, 'release-held-runs')
  const releasing = await service.use(
    repeat(service, 'release-held-runs', 1_000, async () =>
      wakeIf(await releaseHeldRuns(ctx.ofSystem('release-held-runs'), readinessChecks, released)),
    ),
  )
  const inTurn = (name: string, everyMs: number, job: (ctx: Ctx, each: OneByOne) => Promise<void>) => {
    const each = oneByOne(service, name)
    return service.use(repeat(service, name, everyMs, () => job(ctx.ofSystem(name), each)))
  }
  await inTurn('sweep', 2_000, sweep)
  await inTurn('end-leftovers', 2_000, endLeftovers)
  await inTurn('check-ends', 10_000, checkEnds)
  await inTurn('alert-long-cooldowns', 15_000, alertLongCooldowns)
  await service.use(
    onGateChanged(bus, () => {
      gates.drop()
      readinessChecks.drop()
      releasing.wake()
    }),
  )
}

/** Runs `work` once after a delay. Calls during the delay are merged. */
function soon(inMs: () => number, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined
      work()
    }, inMs())
  }
}
