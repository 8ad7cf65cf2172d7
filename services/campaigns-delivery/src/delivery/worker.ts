import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { isOutage } from '@lettergate/fault'
import type { Part, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { postponeBatches } from './batch-origin.ts'
import { deliverBatches, type DeliveryDeps } from './deliver-batches.ts'
import type { BatchGroup, BatchKey } from './hand-off.ts'
import { readMessage, type DeliveryQueue } from './queue.ts'

/** Delivers batches from the queue. */
export interface Worker extends Part {
  /** How many more batches it accepts. */
  room(): number
  /** Takes a batch without the queue if there is room. Returns whether it did. */
  take(key: BatchKey): boolean
}

interface Task {
  key: BatchKey
  message: JsMsg | undefined
}

/** How long a batch waits after a temporary failure before it is published again. */
const postponeMs = 2_000
const reopenMs = 500
/** How many batches of a run are prepared together. */
const togetherMax = 4

function groupOf(tasks: readonly Task[]): BatchGroup {
  const { workspaceId, runId } = tasks[0]!.key
  return { workspaceId, runId, batches: tasks.map(({ key }) => key.batch) }
}

/**
 * Takes batches and prepares `concurrency` of them at once, with four waiting. Waiting batches of one run, at most
 * four, are prepared together, which costs little more than one. Batches that only wait for the provider free their
 * places. Every tried batch is acknowledged: the database knows what is left, and the publisher publishes it again. `stop` takes
 * no new batches and finishes those under way.
 */
export function startWorker(
  service: Service,
  options: {
    queue: DeliveryQueue
    system: Ctx
    delivery: DeliveryDeps
    concurrency: number
    onNeed: () => void
  },
): Worker {
  const { queue, system, delivery, concurrency, onNeed } = options
  let waiting: Task[] = []
  const running = new Set<Promise<void>>()
  let preparing = 0
  let stopped = false
  let current: ConsumerMessages | undefined
  let roomy = Promise.withResolvers<void>()

  const room = () => (stopped ? 0 : concurrency + togetherMax - preparing - waiting.length)

  async function carryOut(tasks: readonly Task[], onCalling: () => void): Promise<void> {
    const group = groupOf(tasks)
    const { runId } = group
    try {
      await deliverBatches(delivery, group, onCalling)
    } catch (error) {
      service.log.warn(
        { err: error, run_id: runId, batches: group.batches },
        'batches could not be delivered now and will be tried again',
      )
      system.metrics.postponed.inc({ why: isOutage(error) ? 'unavailable' : 'error' }, tasks.length)
      await postpone(group).catch((again: unknown) =>
        service.log.warn({ err: again }, 'batches could not be postponed; they will be recalled later'),
      )
    }
    for (const { message } of tasks) message?.ack()
  }

  const postpone = (group: BatchGroup, ms = postponeMs) =>
    system.inWorkspace(group.workspaceId).tx((em) => postponeBatches(em, group, ms))

  /** Leaves batches that were not tried to other workers. */
  async function release(tasks: readonly Task[]): Promise<void> {
    for (const { message } of tasks) message?.nak()
    const taken = tasks.filter(({ message }) => !message)
    await Promise.all(
      [...Map.groupBy(taken, ({ key }) => key.runId).values()].map((ofRun) =>
        postpone(groupOf(ofRun), 0).catch((error: unknown) =>
          service.log.warn({ err: error }, 'batches could not be released; they will be recalled later'),
        ),
      ),
    )
  }

  function start(tasks: readonly Task[]) {
    let isPreparing = true
    preparing += tasks.length
    const prepared = () => {
      if (!isPreparing) return
      isPreparing = false
      preparing -= tasks.length
      pump()
    }
    const carried = carryOut(tasks, prepared).finally(() => {
      running.delete(carried)
      prepared()
      if (waiting.length < concurrency) onNeed()
    })
    running.add(carried)
  }

  /** The batch that waits longest, with others of its run that wait too. */
  function next(): Task[] {
    const [first] = waiting
    if (!first) return []
    const ofRun = waiting.filter(({ key }) => key.runId === first.key.runId)
    const tasks = ofRun.slice(0, Math.min(togetherMax, concurrency - preparing))
    waiting = waiting.filter((task) => !tasks.includes(task))
    return tasks
  }

  function pump() {
    while (!stopped && preparing < concurrency) {
      const tasks = next()
      if (tasks.length === 0) break
      start(tasks)
    }
    if (room() > 0) roomy.resolve()
  }

  let pumping: NodeJS.Immediate | undefined
  /** Lets batches that arrive together be prepared together. */
  function pumpSoon() {
    pumping ??= setImmediate(() => {
      pumping = undefined
      pump()
    })
  }

  function add(task: Task) {
    waiting.push(task)
    pumpSoon()
  }

  function onMessage(message: JsMsg) {
    const key = readMessage(message)
    // Without a reason, which nats-server before 2.10.4 does not understand: it would deliver the message again.
    if (!key) return message.term()
    // A batch that was taken without the queue may have filled the room that this message was fetched for.
    if (room() <= 0) return message.nak()
    add({ key, message })
  }

  async function keepTaking() {
    const take = await queue.open()
    while (!stopped) {
      roomy = Promise.withResolvers<void>()
      if (room() <= 0) await roomy.promise
      if (stopped) return
      current = await take(room())
      if (stopped) await current.close()
      for await (const message of current) onMessage(message)
    }
  }

  async function keepOpen() {
    while (!stopped) {
      try {
        await keepTaking()
      } catch (error) {
        if (!stopped)
          service.log.warn({ err: error }, 'the work queue cannot be reached; the publisher delivers due batches')
      }
      if (!stopped) await sleep(reopenMs)
    }
  }

  const opening = keepOpen()
  return {
    room,
    take(key) {
      if (room() <= 0) return false
      add({ key, message: undefined })
      return true
    },
    async stop() {
      stopped = true
      roomy.resolve()
      await current?.close()
      await release(waiting)
      waiting = []
      await Promise.all(running)
      await opening
    },
  }
}
