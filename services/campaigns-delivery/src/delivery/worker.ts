import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { isOutage } from '@lettergate/fault'
import type { Part, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { postponeBatch } from './batch-origin.ts'
import { deliverBatch, type DeliveryDeps } from './deliver-batch.ts'
import type { BatchKey } from './hand-off.ts'
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

/**
 * Fetches batches and prepares `concurrency` of them at once, with as many waiting. A batch that only waits for the provider
 * frees its place. Every tried batch is acknowledged: the database knows what is left, and the publisher publishes it again.
 * `stop` takes no new batches and finishes those under way.
 */
export function startWorker(
  service: Service,
  options: { queue: DeliveryQueue; system: Ctx; delivery: DeliveryDeps; concurrency: number; onNeed: () => void },
): Worker {
  const { queue, system, delivery, concurrency, onNeed } = options
  const waiting: Task[] = []
  const running = new Set<Promise<void>>()
  let preparing = 0
  let stopped = false
  let current: ConsumerMessages | undefined
  let roomy = Promise.withResolvers<void>()

  const room = () => (stopped ? 0 : concurrency * 2 - preparing - waiting.length)

  async function carryOut({ key, message }: Task, onCalling: () => void): Promise<void> {
    try {
      await deliverBatch(delivery, key, onCalling)
    } catch (error) {
      service.log.warn(
        { err: error, run_id: key.runId, batch: key.batch },
        'a batch could not be delivered now and will be tried again',
      )
      system.metrics.postponed.inc({ why: isOutage(error) ? 'unavailable' : 'error' })
      await postpone(key).catch((again: unknown) =>
        service.log.warn({ err: again }, 'a batch could not be postponed; it will be recalled later'),
      )
    }
    message?.ack()
  }

  const postpone = (key: BatchKey) => system.inWorkspace(key.workspaceId).tx((em) => postponeBatch(em, key, postponeMs))

  function start(task: Task) {
    let isPreparing = true
    preparing += 1
    const prepared = () => {
      if (!isPreparing) return
      isPreparing = false
      preparing -= 1
      pump()
    }
    const carried = carryOut(task, prepared).finally(() => {
      running.delete(carried)
      prepared()
      if (waiting.length < concurrency) onNeed()
    })
    running.add(carried)
  }

  function pump() {
    while (!stopped && preparing < concurrency) {
      const task = waiting.shift()
      if (!task) break
      start(task)
    }
    if (room() > 0) roomy.resolve()
  }

  function onMessage(message: JsMsg) {
    const key = readMessage(message)
    // Without a reason, which nats-server before 2.10.4 does not understand: it would deliver the message again.
    if (!key) return message.term()
    if (stopped) return message.nak()
    waiting.push({ key, message })
    pump()
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
      waiting.push({ key, message: undefined })
      pump()
      return true
    },
    async stop() {
      stopped = true
      roomy.resolve()
      await current?.close()
      for (const { message } of waiting.splice(0)) message?.nak()
      await Promise.all(running)
      await opening
    },
  }
}
