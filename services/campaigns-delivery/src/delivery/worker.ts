import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { execute, sql } from '@lettergate/database'
import type { Part, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { deliverBatch, type Delivery } from './deliver-batch.ts'
import type { BatchKey } from './intent.ts'
import { readMessage, type DeliveryQueue } from './queue.ts'

/** The worker's loop. */
export interface Worker extends Part {
  /** Takes a batch without the queue, if there is room; answers whether it did. */
  take(key: BatchKey): boolean
}

interface Task {
  key: BatchKey
  message: JsMsg | undefined
}

/** Until a batch that could not be delivered for a passing reason is published again. */
const postponeMs = 2_000
const reopenMs = 500

/**
 * Pulls batches and delivers `concurrency` of them at once, holding few more in hand. A message is acknowledged when its
 * batch was tried, whatever came of it: the rows know what is left, and the sweeper publishes it again. Stopping takes
 * nothing new and finishes what is under way.
 */
export function startWorker(
  service: Service,
  options: { queue: DeliveryQueue; system: Ctx; delivery: Delivery; concurrency: number },
): Worker {
  const { queue, system, delivery, concurrency } = options
  const waiting: Task[] = []
  const running = new Set<Promise<void>>()
  let stopped = false
  let current: ConsumerMessages | undefined

  async function carryOut({ key, message }: Task): Promise<void> {
    try {
      await deliverBatch(delivery, key)
    } catch (error) {
      service.log.warn(
        { err: error, run_id: key.runId, batch: key.batch },
        'a batch could not be delivered now and will be tried again',
      )
      await postpone(key).catch((again: unknown) =>
        service.log.warn({ err: again }, 'a batch could not be postponed; the sweeper finds it'),
      )
    }
    message?.ack()
  }

  const postpone = ({ workspaceId, runId, batch }: BatchKey) =>
    system.inWorkspace(workspaceId).tx((em) =>
      execute(
        em,
        sql`update delivery_batches set published_at = null, due_at = greatest(due_at, clock_timestamp() + ${postponeMs} * interval '1 ms')
             where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and done_at is null`,
      ),
    )

  function pump() {
    while (!stopped && running.size < concurrency) {
      const task = waiting.shift()
      if (!task) return
      const carried = carryOut(task).finally(() => {
        running.delete(carried)
        pump()
      })
      running.add(carried)
    }
  }

  function onMessage(message: JsMsg) {
    const key = readMessage(message)
    if (!key) return message.term('not a batch')
    waiting.push({ key, message })
    pump()
  }

  async function keepOpen() {
    while (!stopped) {
      try {
        current = await queue.open({ messagesMax: concurrency * 2, onMessage })
        if (stopped) await current.close()
        await current.closed()
      } catch (error) {
        if (!stopped)
          service.log.warn({ err: error }, 'the work queue cannot be reached; due batches are found by the sweeper')
      }
      if (!stopped) await sleep(reopenMs)
    }
  }

  const opening = keepOpen()
  return {
    take(key) {
      if (stopped || waiting.length >= concurrency * 2) return false
      waiting.push({ key, message: undefined })
      pump()
      return true
    },
    async stop() {
      stopped = true
      await current?.close()
      for (const { message } of waiting.splice(0)) message?.nak()
      await Promise.all(running)
      await opening
    },
  }
}
